"""English word lists of the rules."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words that ask, bind and refer, and verbs that need an object: with nothing else a question names nothing.
FRAME = _words(
    """
    a about above advance far often early after again all also am an and any anybody anyone anything are aren't as
    at available be because been before being below besides between both but by can can't cannot could couldn't d
    did didn't do does doesn't doing don't down during each either else ever every everything exactly first for from
    further get gets getting give given go goes going good got had has hasn't have having he help her here hers him
    his how however i i'd i'll i'm i've if in instead into is isn't it it's its itself just kind know last let like
    ll long look lot made make makes making many may me mean means might mine more most much must my myself name
    need needed needs never new next no not now of off often oh ok okay old on once one ones only or other others
    our ours out over own per please possible quite rather re really right s said same say see shall she should
    shouldn't show since so some somebody someone something soon sort still such sure t take takes tell than thank
    thanks that that's the their theirs them then there these they they're thing things this those through thus to
    too type types under until up upon us use used uses using usually various ve very via want wants was wasn't way
    ways we well were what what's whatever when whenever where which while who who's whom whose why will with within
    without won't would yes yet you you'd you'll you're your yours yourself add apply approve become begin bring
    build buy call cause change check choose come complete compute configure connect contact contain create define
    delete describe disable do download edit enable end ensure exist expect expire explain export fail find fix
    follow handle happen happens implement import improve include install invoke keep learn list log maintain manage
    migrate modify monitor move open operate pay perform prevent process provide put reach receive recover reduce
    refer remain remove renew replace request require required requires reset resolve restart restore return run
    save search select send serve set setup share solve start stop submit support supported supports switch test
    troubleshoot try turn understand uninstall update upgrade upload validate verify view wait work works write
    apply applies sorry allowed allow allows configured installed deployed deploy calculated handled approved approves
    cost costs owns own charge charged lasts last finish count counts differ compare decide decided depend depends
    """
)
# What only another thing can have ("the price").
ATTRIBUTE = _words(
    """
    address discount discounts downtime exceptions advantage advantages alternative alternatives amount benefit
    benefits capacity cause causes condition conditions consequence consequences cost costs date deadline default
    defaults definition detail details difference differences disadvantages drawbacks duration effect effects
    eligibility example examples fee fees format formats function functions goal goals idea info information issue
    issues kind level limit limitations limits location maximum meaning method methods minimum number option options
    owner parameter parameters password path phone point points port price prices pricing problem problems procedure
    process processes purpose purposes question questions rate rates reason reasons requirement requirements result
    results risk risks role rule rules schedule size solution step steps syntax time times topic url usage value
    values version versions year yours postcode zipcode telephone email website range ranges area areas
    """
)
# Verbs and other words that end a noun phrase but say something themselves.
BREAKS = _words(
    """
    actually apart available away back compatible free mandatory optional safe belong belongs best better carry
    currently different encrypt exactly explain handle likely main mostly offer offers often provide provides
    protect qualify reimburse responsible stand stands stored usually
    """
)
# Noun or verb by position: "the object store" against "does it store data".
EITHER = _words(
    """
    access approve backup book build call change charge claim contact cost cover download end export file fix import
    list log move need open order plan process release report request restore return run save search set share start
    stop store submit support switch test transfer update upgrade upload use view work
    """
)
# What may open a noun phrase.
DETERMINER = _words(
    """
    the a an our your my this that these those their its
    """
)
# What makes a noun phrase a circumstance.
PREPOSITION = _words(
    """
    in on at for from with to by into under via through during using per after before without within
    """
)
# Verbs that wait for an object at the end of a question ("how do I configure").
TRANSITIVE = _words(
    """
    configure install use deploy enable disable update upgrade remove delete reset request apply approve submit test
    set setup create edit change manage monitor run start stop restart migrate verify handle fix solve replace renew
    cancel open choose find get download export import need want own maintain define implement troubleshoot improve
    learn use buy
    """
)
# Behind "this" or "that" these point at nothing said before.
NOT_A_THING = _words(
    """
    year years week weeks month months morning afternoon evening quarter day days time case way point moment company
    office country kind sort type i we you they he she it the a there
    """
)
# Kinds that a name may be called by ("this product").
KIND = _words(
    """
    product system tool service software policy rule process feature error issue problem document file setting
    option plan program benefit procedure component platform concept term code order application app field form
    contract project model version
    """
)
# Words that tell no knowledge domain from another.
STOP = _words(
    """
    data day days first get give go good last make many much new next one other show time two way week work working
    works year years a about all an and any are as at be by can company do does for from get guide had has have how
    i in is it its manual me my of on or our policy policies procedure process rules should tell that the their them
    there these they this to us use used using was we what when where which who why will with would you your
    information documents document docs knowledge domain about general all related employee employees need
    """
)
# That something is so, is not so, or is not known.
VERDICT = _words(
    """
    true false right wrong correct incorrect accurate inaccurate fake invalid yes no nope nah yeah yep yup maybe
    possibly perhaps either agreed agree affirmative negative fact facts unsure certain idea clue depends guess sense know
    """
)
# What may stand around a verdict without saying anything else.
AROUND_VERDICT = _words(
    """
    that thats that's this it its it's is are was be would could can might may will to the a an i i'd i'll i'm im i've
    my me you your you're we so very much really quite pretty definitely absolutely totally completely certainly most
    more for sure of course not answer response statement information say said saying think believe must have
    don't dont do does cannot can't cant couldn't isn't one both or other there just as well and all on about at case
    exactly any sorry if then nothing else makes make give get
    """
)
# What a person, a place or a work is called by its kind only when its name was said.
NEEDS_NAME = _words(
    """
    actor actress actors author album animal animals artist athlete band battle book breed burger character city
    competition country county disease drug film flag game hurricane king language movie museum novel ocean player
    president queen restaurant river season series singer song stadium star state team tournament university village war
    """
)
# What the clock and the calendar are asked for, and what may stand around it.
CLOCK_ASKED = _words("time date day month year hour minute clock today's tomorrow's weekday")
AROUND_CLOCK = _words(
    """
    what what's whats is the a it its be will would was tell me give show look up check i i'd need want like to know do
    does you have please current exact now right today tomorrow yesterday tonight on in at your watch say says how and
    of this that mind telling could can currently here there moment
    """
)
# A coin or dice to be thrown, and what may stand around it.
THROWN = _words("coin dice die heads tails")
AROUND_THROWN = _words(
    """
    flip flips toss roll rolls rolled throw spin do perform give get need want would like please a an the of for me my
    i i'd i'll you your can could will it and or to be is choose pick pair two sided sides six eight ten twelve twenty
    one single fair call take on lands if tell up now then ai using
    """
)
# Pleasantries, and what may stand around them.
PLEASANTRY = _words(
    """
    hello hi hey howdy greetings goodbye bye farewell syonara thank thanks thankful grateful gratitude appreciate
    appreciated obliged gracias merci ciao
    """
)
AROUND_PLEASANTRY = _words(
    """
    i i'm im i'll you you're your me my to the a an and so very just it it's was that that's for with of is are am be been
    have had having do did can could would like will want wanted say said saying please ok okay ai alexa siri bot
    assistant now today again here there all much really great nice good well must go going leave leaving see ya later
    soon time day conversation chat chatting talk talking speak speaking help helping answer gave given kind pleasure
    pleasant fun enjoyed glad got we bot device friend everything too as always sincere special
    """
)
