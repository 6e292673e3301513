"""How everyday questions are worded: weather, news, routes, the clock. They never go to the knowledge base (PLAN-7)."""

from __future__ import annotations

import re

_I = re.IGNORECASE
_MONEY = r"\b(?:dollars?|euros?|yen|pounds?|pesos?|rupees?|usd|eur|gbp|jpy|rmb|cny|cad|aud|yuan)\b"
_WHEN = r"(?:今天|明天|后天|今晚|今早|明早|现在|此刻|眼下|这两天|这几天|这周|本周|下周|周末|最近|近期|未来)"

# SURE_*: whatever else the question says, a time or a place makes it everyday ("北京今天天气怎么样").
SURE_WEATHER = re.compile(
    rf"{_WHEN}.{{0,12}}(?:天气|气温|多少度|几度|下雨|下雪|刮风|雾霾|空气质量|紫外线|冷不冷|热不热)|(?:天气"
    r"|气温)(?:怎么样|如何|好吗|好不好|预报怎么|适合)"
    r"|(?:会不会|会|要不要|有没有|要)(?:下|刮)(?:大|小|暴)?(?:雨|雪|风)(?:吗|么)?|(?:要|需要|用)(?:不要"
    r"|不用)?带伞|天气.{0,6}适合"
    r"|\b(?:what(?:'s| is| will)|how(?:'s| is| will)|tell me|give me|check|show me)\b[^.?!]{0,20}\b(?:weather"
    r"|forecast)\b(?! (?:api|service|policy|module|data))"
    r"|\bweather (?:in|for|today|tomorrow|like|forecast|outside|this|next|right)\b|\b(?:will|is|does) it (?:be "
    r"|going to |gonna |likely to |supposed to )*(?:rain|snow|sunny|cold|hot|windy|humid|freez\w+)"
    r"|\b(?:do|will) i need (?:an |my )?(?:umbrella|jacket|coat)\b|\bhow (?:hot|cold|warm|humid|windy) (?:is"
    r"|will) it\b|\b(?:temperature|humidity) (?:outside|today|tomorrow|yesterday|in (?-i:[A-Z]))"
    r"|\bwhat (?:is|was|will|are)\b.{0,25}\b(?:high|low|record|outside|current)? ?temp(?:erature)?s?\b.{0,6}\b(?:in|for|today"
    r"|tonight|tomorrow|right now|over|be)\b|\b(?:inches of|how much) (?:snow|rain)\b|\bmeteorolog\w+|\buv index\b"
    r"|\bwhat are the conditions like\b|\bbe (?:warm|cold|hot|sunny|rainy) (?:this|next|today|tomorrow|on|over)\b"
    r"|\b(?:chance|chances) of (?:rain|snow)\b",
    _I,
)
SURE_NEWS = re.compile(
    rf"{_MONEY}.{{0,25}}\b(?:in|to|into|worth|for|and|vs)\b.{{0,12}}{_MONEY}"
    rf"|(?:今天|今日|最新|最近|国际|国内|体育|财经|娱乐|科技|热点)(?:的|有什么|有哪些|有啥)?.{{0,4}}(?:新闻"
    r"|头条|热搜)(?!稿|发布|中心|发言|素材)|新闻(?:头条"
    rf"|联播)|(?:有|看)(?:什么|啥|哪些)(?:新闻|热点)|{_WHEN}.{{0,6}}(?:股市|大盘|股价|汇率|油价|金价|房价)"
    r"|(?:股市|大盘|股价|股票|汇率|油价|金价|币价)(?:是多少|多少|怎么样|如何|涨|跌|行情|走势)"
    r"|\b(?:latest|today'?s|breaking|recent|world|sports|tech|top) (?:news|headlines?|stories)\b|\bnews (?:today"
    r"|headlines?|about|on|from)\b|\b(?:what(?:'s| is)|any) (?:in )?the news\b|\bany news\b|\bheadlines\b"
    r"|\b(?:stock|share) price (?:of|for)\b|\b(?:exchange|conversion) rate (?:of|for|from|between|to)\b"
    rf"|\bhow (?:much|many)\b.{{0,40}}\bexchange\b.{{0,30}}{_MONEY}|{_MONEY}.{{0,12}}\bequals?\b|\bequals?\b.{{0,12}}{_MONEY}"
    rf"|{_MONEY} (?:is |are )?(?:worth|strong|weak)\b|\bcurrency conversion\b"
    r"|\bhow (?:much|many) (?:is|are) .{1,30}\b(?:dollars?|euros?|yen|pounds?|usd|eur|rmb|cny|yuan)\b.{0,20} in\b",
    _I,
)
SURE_ROUTE = re.compile(
    r"(?:坐|乘|换乘|转)(?:地铁|公交|高铁|火车|飞机).{0,8}(?:去|到|回)|(?:去|到|回).{1,15}(?:坐|乘|换乘|转)(?:地铁"
    r"|公交|高铁|火车|飞机)|(?:坐|乘|换乘|转)(?:几号线|什么车)|导航(?:到|去)|(?:从.{1,15})?(?:到"
    r"|去).{1,15}(?:怎么去|怎么坐车|怎么坐|怎么开车"
    r"|多远|堵车|堵不堵|的路线|路线怎么)|(?:打车|开车|走路|步行|骑车)(?:去|到).{1,15}(?:多久|多远|多少钱"
    r"|要)|路况|堵车吗|堵不堵"
    r"|\bdirections? (?:to|from|for)\b|\bnavigate (?:me )?to\b|\bhow far (?:is|away)\b|\b(?:traffic"
    r"|road conditions?) (?:like"
    r"|on|in|to|jam|today|now|right)\b|\b(?:bus|train|subway|metro|flight|drive|route) (?:from|to) (?-i:[A-Z])"
    r"|\bfastest (?:way|route) to get\b"
    r"|\b(?:get|go|going|travel|visit|walk|ride|trip|sojourn)\b.{0,40}\b(?:by|via|take (?:a|the)) (?:bus|train|subway"
    r"|metro|car)\b"
    r"|\b(?:on|by) foot\b.{0,30}$|^(?:can|does|is there) (?:a|the) (?:bus|train|subway|metro)\b|\bhow (?:long|short|far) is the "
    r"(?:ride|drive|walk|trip)\b|\b(?:how (?:much time|long|many (?:hours|minutes))|time left"
    r"|the time)\b.{0,30}\b(?:to|until|before)"
    r"(?: i)? (?:get (?:to|there|home|from)|reach|arrive)\b(?! (?:paid|my|an answer|approv))"
    r"|\bhow long (?:does|will|would) (?:it|the) (?:\w+ )?(?:take (?:me )?)?(?:to )?(?:drive|walk|fly|get(?= (?:to"
    r"|there|home|from|back)\b)"
    r"|travel|bike)\b(?: to| from| there)?",
    _I,
)
WEB = re.compile(
    r"(?<!互)联网|上网(?:搜|查|找|看)|(?:在|到|去)?(?:网上|互联网上?)(?:搜|查|找)|(?:百度|谷歌|必应)(?:一下"
    r"|搜|查)|(?:打开|访问|抓取|总结|概括|读"
    r"|看)(?:一下|下)?\s*https?://"
    r"|\bgoogle (?:it|that|for)\b|\bsearch (?:on |in )?(?:the )?(?:web|internet|online|google)\b|\b(?:look"
    r"|search|find)\b[^.?!]{0,40}\b(?:online|on the (?:web|internet))\b|\b(?:open|fetch|read|summari[sz]e"
    r"|visit)\b\s+https?://",
    _I,
)
SURE_CLOCK = re.compile(
    r"(?:今天|明天|昨天|后天|现在|今日)(?:是)?(?:几月)?(?:星期|礼拜|周)几|(?:今天|明天|后天|昨天|现在"
    r"|今日)(?:是)?(?:几月几[号日]|几[号日]|多少号|哪一?天"
    r"|什么日子|几点)|现在(?:的)?(?:时间|北京时间)|几点了|(?:今天|当前)(?:的)?日期"
    r"|^\W*(?:what(?:'s| is)|tell me|give me|do you know|can you tell me)(?: what)?(?: the)? (?:current )?(?:time"
    r"|date|day)(?: is it| it is| of (?:the )?(?:day|week|month))?(?: (?:today|now|right now|currently"
    r"|please|tomorrow))*(?: in [A-Za-z .,]+)?\W*$"
    r"|\b(?:what|which) (?:time|day|date|hour|day of the week|month|year|time of day)(?: of the (?:week"
    r"|month))? (?:is it|it is|are we (?:on|in)|will it be|it will be)\b|^is (?:it|today) (?:mon|tues|wednes"
    r"|thurs|fri|satur|sun)day|\btoday'?s date\b|\bwhat day (?:is|was|will) (?:today|tomorrow|it)\b|\bcurrent (?:time"
    r"|date)\b|^(?:the )?time in (?-i:[A-Za-z])[\w .,]*\W*$|\bwhat will the date be\b|\bwhat will be the date\b"
    r"|\bdate (?:it will be|will it be|in \d+ (?:days?"
    r"|weeks?)|\d+ days (?:from|after))|\btime (?:is it )?(?:right )?now\b|\bwhat(?:'s| is) the time(?=\W*$"
    r"| now| right| in (?-i:[A-Z]))",
    _I,
)

# LIKELY_*: everyday only where nothing speaks for the company's own matters and little else is said.
LIKELY_WEATHER = re.compile(
    r"天气|(?<!大)气温|下雨|下雪|穿什么|台风|\bweather\b|\bforecast\b|\braining\b|\bsnowing\b|\bumbrella\b", _I
)
LIKELY_NEWS = re.compile(
    r"新闻|头条|热搜|股价|汇率|油价|金价|比分|彩票|\bnews\b|\bheadlines?\b|\bstock (?:price|market)\b"
    r"|\bexchange rate\b|\blottery\b",
    _I,
)
LIKELY_ROUTE = re.compile(
    r"(?:到|去).{1,15}(?:怎么走|要多久|多长时间)|(?:怎么|如何)(?:去|到)[\u3400-\u9fffA-Za-z]{2,10}(?:机场"
    r"|车站|火车站|高铁站|医院|大学"
    r"|公园|广场|酒店|大厦|中心|桥|山|寺|街|路|景区)|附近(?:有|的|哪)|最近的(?:地铁|加油站|医院|超市"
    r"|银行|餐厅|停车场)"
    r"|\bhow (?:do|can|should) (?:i|we|you) get (?:to|from|there)\b|\bhow long\b.{0,50}\b(?:get (?:to|there|home|from)|drive|walk"
    r"|bus|train|car|fly|flight|trip|travel)\b|\btravel time\b|\bhow many miles\b|\bcommute\b|\bnear(?:by"
    r"| me| here)\b|\bclosest\b|\bnearest\b|\btraffic\b",
    _I,
)
LIKELY_EVERYDAY = re.compile(
    r"菜谱|怎么做菜|好吃的|美食|餐厅|外卖|电影|电视剧|星座|运势|旅游(?:攻略|推荐|去哪|路线)|景点|好玩"
    r"|(?:买|订|查)(?:张|一张|个)?(?:机票|火车票|高铁票|电影票)"
    r"|航班(?:号|动态|信息|几点|延误)|快递到哪|足球|篮球|世界杯|明星|卡路里"
    r"|\brecipes?\b|\brestaurants?\b|\bmovies?\b|\bhoroscope\b|\bflights? (?:to|from|status|(?i:[a-z]{2}) ?\d{2,4})\b"
    r"|\bmy flight\b|\bcalories\b|\bsightseeing\b|\btourists?\b|\bvacation spots?\b|\bfootball\b|\bbasketball\b"
    r"|\bworld cup\b|\bcook(?:ing)?\b|\bbake\b|\bmeal\b|\bdinner\b|\blunch ideas?\b",
    _I,
)
LIKELY_CLOCK = re.compile(
    r"(?:离|距离?).{1,15}(?:还有|还剩|有)(?:多少|几)(?:天|个?月|周|小时)|再过(?:几|多少)天|\d{1,4}天(?:后"
    r"|前|以后|之后|之前)是(?:几号|哪天|星期几"
    r"|周几)|.{0,8}是(?:星期|周|礼拜)几"
    r"|\bhow many (?:days|weeks|months|hours) (?:until|till|before|since|between|from|to go)\b|\b(?:what"
    r"|which) day (?:of the week )?(?:is|was|will be) (?:the )?(?:\d|(?-i:[A-Z])\w+ \d|christmas|new year)"
    r"|\btime ?zones?\b|\bwhat time (?:is|will) it\b|\btime in (?-i:[A-Z])",
    _I,
)

# Words of a company's own rules, systems and documents.
OWN_MATTER = re.compile(
    r"上班|打卡|请假|居家办公|风险|承担|损失|责任|合规|审计|发布会|预算|采购|招标|制度|流程|规定|规则|政策"
    r"|规范|手册|文档|文件|条款"
    r"|合同|协议|审批|报销|补贴|津贴|额度|标准|配置|部署|接口"
    r"|模块|参数|代码|日志|数据库|字段|表结构|系统|服务|平台|功能|公司|员工|部门"
    r"|同事|考勤|放假|年假|加班|迟到|出差|离职|入职|转正|培训|预案|新闻稿|发言人|数据源|知识库|资料|客户|供应商"
    r"|订单|项目|产品"
    r"|\b(?:polic(?:y|ies)|procedures?|handbook|guidelines?|rules?|configure|config|configuration|deploy|deployment"
    r"|api|apis|endpoint|sdk|service|module|parameters?|allowances?|reimburse\w*|expenses?|contracts?|clauses?"
    r"|compan(?:y|ies)|employees?|our|database|server|page|menu|settings?|dashboard|portal|"
    r"team|department|according to|document|docs?|knowledge base|press release|spokes\w+|network traffic|project"
    r"|product|repository|cluster|container|queue|deadline|notice period|probation)\b",
    _I,
)
