"""How talk with the assistant is worded: chat, work on a given text, what was said before, orders to act."""

from __future__ import annotations

import re

from superagent_orchestrator.domain.planning import chinese, english

_I = re.IGNORECASE
CHAT = re.compile(
    r"^(?:你(?:到底)?(?:是谁|叫什么|是什么|多大|几岁|是(?:不是)?(?:\s*[A-Za-z][\w-]{1,20}|真人|机器人|人|AI"
    r"|男|女|哪国)|喜欢|爱|有(?:没有)?(?:感情"
    r"|朋友|生命|名字)|从哪|来自|住在|吃了|累不累"
    r"|开心|会不会累|会聪明|觉得我|能听懂|谁(?:开发|做|创造))|谁(?:开发|创造|做|发明)(?:的|了)?你|介绍(?:一下"
    r"|下)?你自己|自我介绍"
    r"|(?:给我|跟我|请|再)?(?:讲|说|来)(?:一?个|点|几个)?(?:冷)?笑话|(?:给我|请|帮我)?(?:讲|说)(?:一?个|点)(?:睡前)?故事"
    r"|(?:给我|请|帮我)?写(?:一?首|一?段"
    r"|一?个|一?篇)?.{0,12}(?:诗|词|歌词|情书|对联|祝福语?|藏头诗|打油诗)|唱(?:一?首|个)?歌|陪我(?:聊|说)|(?:和"
    r"|跟)我聊|聊聊天|随便聊|夸(?:夸)?我|安慰(?:一下)?我"
    r"|我(?:今天|现在|最近|好|有点|太|很|真|真的|特别|非常|感觉|心情|不太|不)*(?:累|困|烦|开心|高兴|难过|无聊"
    r"|饿|伤心|生气|焦虑|郁闷|孤独|不舒服|不开心)(?:了|啊|呀|死了|得很)?\W*$"
    r"|人生的意义|生命的意义|抛(?:个)?硬币|掷(?:个)?骰子)"
    r"|^(?:who are you|what are you|what(?:'s| is) your (?:name|favou?rite\b.{0,20}|job|age|gender|hobb(?:y|ies)"
    r"|purpose)|(?:can you |please )?introduce yourself|are you (?:a |an )?(?:real |just )?(?:human|robot|bot|ai"
    r"|person|computer|machine|alive|single|happy|sentient|chatgpt)\b.{0,30}"
    r"|how old are you|when (?:were you|is your birthday).{0,20}|where (?:are you from|do you (?:live|come from)"
    r"|were you (?:born|made)).{0,10}|who (?:made|built|created|programmed|designed|developed|owns) you.{0,20}"
    r"|who (?:do you work for|is your (?:boss|creator|maker))"
    r"|do you (?:like|love|have (?:any )?(?:feelings|pets|hobbies|friends|a name)|sleep|dream|eat)\b.{0,40}|make me laugh"
    r"|sing (?:me )?(?:a )?song|(?:please )?write (?:me )?(?:a|an)\b.{0,20}\b(?:poem|haiku|song|limerick|love letter"
    r"|story)\b.{0,60}"
    r"|i(?:'m| am| feel| am feeling)(?: so| very| really| a bit| a little| quite)? (?:tired|bored|sad|happy|hungry"
    r"|lonely|stressed|angry|sleepy|exhausted)\b.{0,20}|(?:what(?:'s| is) )?the meaning of life|let'?s (?:chat"
    r"|talk)|i love you|you(?:'re| are) (?:so )?(?:great|awesome|smart|funny|stupid|the best|amazing|cute))\W*$"
    r"|\b(?:tell|give|hear|know|have|share|heard|say|want|need|mood for)\b.{0,30}\b(?:jokes?|riddles?|bedtime story"
    r"|something (?:funny|hilarious)|(?:fun|cool|random) facts?|trivia)\b|\b(?:flip|toss)\b.{0,16}\bcoin\b"
    r"|\broll\b.{0,16}\b(?:dice"
    r"|die)\b",
    _I,
)
# Drafting from nothing but the order; where a source is named, that is looked up first.
_DRAFT = re.compile(
    r"^(?:请|帮我|请帮我|麻烦帮我|给我|帮忙)*(?:写|起草|草拟|拟|编写|生成)(?:一?[封份段篇个条首则]|些|点).{0,20}"
    r"(?:邮件|信|通知|公告|总结|报告|文案|代码|函数|脚本|程序|语句|SQL|演讲稿|发言稿|祝福|贺词|周报|日报|标题"
    r"|大纲|简介|自我介绍)"
    r"|^(?:please |can you |could you |help me )*(?:write|draft|compose|generate)(?: me)? (?:an?|some|the) (?:\w+ ){0,3}"
    r"(?:e-?mail|letter|message|announcement|summary|report|function|script|program|query|regex|class|speech"
    r"|post|headline|outline|essay)\b",
    _I,
)
_FROM_SOURCE = re.compile(
    r"根据|按照|依据|参考|参照|模板|规定|制度|\b(?:based on|according to|following|template|policy|our (?:guidelines"
    r"|rules))\b",
    _I,
)
TEXT = re.compile(
    r"^(?:请|帮我|麻烦|请帮我|请你|你能)?(?:把|将)?(?:下面|以下|这)?(?:的|这)?(?:一?段|句|个|篇)?(?:话|文字"
    r"|内容|文章|文本|句子|英文|中文|代码)?(?:翻译|润色|改写"
    r"|总结|概括|缩写|扩写|校对|纠错|修改语病)(?:成|为)?[^\n:：]{0,15}[:：\n]"
    r"|^(?:请|帮我)?(?:翻译|润色|改写|校对)(?:一下)?(?:成(?:英文|中文|日文|英语|法语|日语))?\s*[“\"「'‘]|[”\"」'’]\s*(?:用"
    r"|的)?(?:英文|英语|日语|法语"
    r"|德语|韩语)(?:怎么说|怎么写|是什么|咋说)|(?:翻译成|译成)(?:英文|中文|日文|英语|法语|日语|德语|韩语)\s*$"
    r"|^(?:please )?(?:can you |could you )?(?:translate|rewrite|rephrase|polish|summari[sz]e|proofread|paraphrase"
    r"|correct|shorten|fix the grammar of)\b[^\n:]{0,40}(?::(?!//)|\n)|^(?:please )?(?:can you |could you )?translate\s+[\"'“‘]"
    r"|\btranslate\b.{1,80}\b(?:to|into) (?:english|chinese|french|german|spanish|japanese|korean|italian|russian"
    r"|mandarin|dutch|\w+ese|\w+ish)\b"
    r"|^(?:please )?(?:can you |could you )?translate\b.{1,40}\bin (?:to )?[a-z]+\W*$"
    r"|\bhow (?:do|would|does|can|could) (?:\w+ (?:people |speakers )?)?say\b"
    r"|\bsay\b.{1,40}\b(?:if i were|as) (?:an? )?\w+(?: person)?\W*$|\ba phrase in \w+\W*$"
    r"|\b(?:how (?:do|would|can|could|does|should) (?:you|i|we|one)|how to) (?:say|ask|write) .{1,60} in (?:english|chinese"
    r"|french|german|spanish|japanese|korean|italian|russian|mandarin|dutch|\w+ese|\w+ish)\W*$",
    _I,
)
# About what was said in this conversation; only where something was.
CONVERSATION = re.compile(
    r"^(?:请|麻烦|能不能|你能|可以)?(?:再说一?[遍次]|重复一?[遍次]|重说一?[遍次]|说(?:得)?(?:简单|简短|详细)一?点"
    r"|(?:简短|精简|缩短)(?:一?点|一?下)|换(?:个|一种)说法)(?:吗)?\W*$"
    r"|(?:总结|概括|翻译)(?:一下|下)?(?:上面|刚才|以上|前面|我们)(?:的|说的|聊的|讨论)?|(?:用|翻译成|改成)(?:英文"
    r"|中文|英语)(?:再)?(?:说|讲|回答|写)?(?:一[遍次])?\W*$"
    r"|(?:我|你|我们)(?:刚才|刚刚|之前|前面|上次)(?:都)?(?:说|问|提|聊|讲|讨论|告诉|定)|(?:我叫什么|我的名字是)"
    r"|^(?:please |can you |could you )*(?:repeat (?:that|it|your (?:last )?answer|please)?|say (?:that|it) again"
    r"|make (?:it|that|this) (?:shorter|simpler|longer|more \w+)|(?:summari[sz]e|translate|shorten|rephrase|simplify"
    r"|rewrite) (?:that|it|this|the above|your answer|our conversation|what you (?:just )?said)(?: (?:in|to|into) \w+)?"
    r"|(?:in|say it in|answer in|now in) (?:english|chinese)(?: please)?|shorter(?: please)?|come again)\W*$"
    r"|\bwhat (?:did|have) (?:i|you|we) (?:just )?(?:say|said|ask|asked|tell|told|discuss|discussed|decide|decided"
    r"|agree|agreed)\b|\b(?:you|i|we) (?:just )?(?:said|mentioned|told (?:me|you)|agreed|decided) (?:earlier|before"
    r"|above|just now)\b|\bwhat(?:'s| is| was) my (?:name|first question|last question)\b",
    _I,
)
_ACTION = re.compile(
    r"^(?:请|帮我|帮忙|麻烦(?:你)?(?:帮我)?|请帮我|请你|给我|能不能帮我|可以帮我|你能帮我)(?:把.{1,30}?|(?:给"
    r"|向|跟|和).{1,12}?)?(?:发送"
    r"|发一?封|发一?条|发个|群发|转发|创建|新建|建一?个|拉.{0,20}进群"
    r"|拉进|邀请|踢|移出|解散|删除|删掉|预订|预约|预定|订一?[张个间份]|定一?个|提醒|设置?(?:一个|个)?(?:提醒"
    r"|闹钟)|提交一?[份个张]|打电话|打车|下单|取消(?:我的|这个|订单|预约)"
    r"|转账|安排一?个?会议|约)"
    r"|^提醒我|^(?:请)?(?:建|创建|解散|新建)(?:一?个)?群|^(?:把|将).{1,30}(?:拉进|邀请|移出|踢出|踢|删掉|删除"
    r"|发给|转给|转发给)"
    r"|^(?:please |(?:can|could|would|will) you |go ahead and |i (?:want|need|would like) (?:you )?to |i'd like (?:you )?to "
    r"|help me )*(?:send (?:an? |the )?(?:e-?mail|message|text|reminder|invite|invitation)|(?:text|call|phone|e-?mail"
    r"|message|invite|remind|notify) (?:me|my|him|her|mom|dad|the team|everyone|(?-i:[A-Z])\w+)\b|(?:set|create"
    r"|start|make|add)(?: up| me)?(?: an?| the| my)?(?: new| \w+ (?:second|minute|hour))? (?:alarms?|timers?|reminders?)\b"
    r"|book (?:me )?(?:a|an|the|two|my)\b|reserve (?:a|an|the)\b"
    r"|(?:schedule|arrange|set up|set) (?:a|an|the|my) (?:\w+ )?(?:meeting|call|appointment|interview)|create (?:a"
    r"|an|the|new)? ?(?:new )?(?:group|ticket|task|event|meeting|reminder|calendar|issue|account)|add .{1,40} to (?:my"
    r"|the) (?:calendar|list|to-?do|shopping|playlist|group)|cancel my\b|order (?:me )?(?:a|an|some|more)\b"
    r"|play (?:me )?(?:some "
    r"|the |a |my )?(?:music|song|playlist|(?-i:[A-Z]))|turn (?:on|off|up|down) (?:the|my)\b|kick|dismiss .{1,20} group"
    r"|pay my\b|transfer \$?\d+)",
    _I,
)

_ASKS_HOW = re.compile(r"怎么|如何|怎样|什么|多少|流程|\bhow\b|\bwhat\b|\bwhy\b", _I)


# Words for what one asks a person about; a question to "you" with nothing else in it is about the assistant itself.
_PERSONA = re.compile(
    r"\b(?:names?|nicknames?|called|call|ages?|old|years?|born|birthday|birth|robots?|bots?|humans?|real|person"
    r"|people|alive|live|living|ai|artificial|intelligence|being|machine|computer|pets?|animals?|dogs?|cats?|hobb(?:y"
    r"|ies)|interests?|interested|free|spare|fun|enjoy"
    r"|boss|supervisor|superior|manager|employers?|employed|creators?|created|creating|makers?|made|developers?"
    r"|developed|designers?|designed|design|manufactur\w+|programmed|programmers?|built|invented|country|city|place"
    r"|home|hometown|town|organi[sz]ation|company|firm|responsible|existence|originally|current|actual|actually"
    r"|secretly|recent|come|grow|current|actual|actually|secretly|recent|come|grow"
    r"|feelings?|feel|emotions?|family|friends?|girlfriend|boyfriend|married|sentient|conscious|languages?|smart"
    r"|clever|favou?rite|colou?r|food|gender|male|female|married|sleep|dream|questions?|answer|answering|topics?"
    r"|subjects?|categories|capable|kinds?|types?|sorts?|ask|asked|allowed|familiar|yourself|consider|classified|curious"
    r"|speaking|talking|companions?|creatures?|furry|possess|keep|raise|owner?|species|recreational|activities|down"
    r"|working|worker|another|different|individual|somebody|someone|anyone|entity|report|self|hail|origin|originate"
    r"|birthdays?|state|full|refer|referred|prefer|exist|existed|around|functional|today|accurate|liked?|assist"
    r"|stuff|areas?|versed|comprehend|best|coded|code|wrote|sponsored|wondering)\b",
    _I,
)
_PERSONA_ZH = re.compile(
    r"名字|姓名|年龄|岁|生日|出生|机器人|真人|人类|活人|人工智能|AI|爱好|兴趣|喜欢|老板|主人|家人|家里|朋友"
    r"|宠物|男朋友|女朋友|感情|情绪|性别|聪明|国家|哪里人|开发|创造|发明|训练|制造|回答"
    r"|话题|领域|擅长|问题"
)
_TO_YOU = re.compile(r"\b(?:you|your|yourself|yours|you're|siri|alexa|(?:the|this|an?) ai)\b", _I)
_TO_YOU_ZH = re.compile(r"[你您](?!们|好)")


def is_about_the_assistant(text: str) -> bool:
    """Whether the assistant itself is asked about, and nothing else."""
    if _TO_YOU_ZH.search(text):
        return _PERSONA_ZH.search(text) is not None and not chinese.has_content(_PERSONA_ZH.sub("", text))
    if _TO_YOU.search(text) is None or _PERSONA.search(text) is None or _FOR_ME.search(text):
        return False
    return english.content_size(_PERSONA.sub("", text)) == 0


# "Can you answer a question for me?" asks for something else.
_FOR_ME = re.compile(r"\b(?:help|for me|my|our|this|that|it)\b", _I)


def orders_action(text: str) -> str:
    """The words that order something to be done ("帮我发一封邮件"), empty where a question asks how it is done."""
    found = None if _ASKS_HOW.search(text) else _ACTION.search(text)
    return found.group().strip() if found else ""


def orders_draft(text: str) -> str:
    """The words that order a text to be written that needs no source ("写一封邮件通知客户"), else empty."""
    found = None if _FROM_SOURCE.search(text) else _DRAFT.search(text)
    return found.group().strip() if found else ""
