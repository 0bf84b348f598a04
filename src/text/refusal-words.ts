// The words of refusals.ts, as data: what means what, what may be left out, and what surrounds a refusal. English
// and Spanish, without accents and apostrophes, in lowercase.

/** Format: "meaning: word word word". */
const MEANINGS = `
  stop: stop stopp stoop stpo stp sotp tsop sto stpp stip stol stio syop srop dtop ztop sstop sttop stopo stob stahp stawp shtop stops sotop stopl stoip stp0 st0p
  stopall: stopall
  unsubscribe: unsubscribe unsub unsubs unscribe unsubscription unsubscribing unenroll disenroll unenrol unfollow desuscribir desuscribirme desuscribirse desuscribeme desuscribanme desuscriba desubscribir desubscribirme dessuscribir desinscribir desinscribirme desafiliar desafiliarme desuscripcion
  optout: optout optouts optingout
  quit: quit
  cease: cease halt desist discontinue desista
  cancel: cancel cancell cancle
  texting: texting txting textin textn txtng textng texing textting txtin mesaging messging messageing mssging messaging msging messagin contacting spamming communicating soliciting
  writing: writing emailing pinging notifying reaching mailing
  bothering: bothering harassing harrassing harasing harrasing bugging annoying pestering disturbing stalking
  calling: calling phoning
  text: text txt message msg sms contact messge mesage solicit
  write: write ping notify email mail
  bother: bother harass bug pester disturb annoy spam
  texts: texts txts messages msgs smss communications communication solicitations blasts messeges mesages textos mensajes mensaje msj msjs mensajitos mensages mensage
  notices: alerts notifications updates reminders promos promotions ads offers newsletters coupons emails mailers advertisements notificaciones alertas avisos promociones publicidad propaganda anuncios ofertas recordatorios
  me: me us
  dont: dont dnt donot dontt
  cant: cant cannot couldnt
  wont: wont
  you: you u yall ustedes
  your: your ur
  please: please pls plz plss plse pleas pleaz plis porfavor porfa porfis favor kindly
  thanks: thanks thx ty tks thnx thankyou gracias
  number: number numero numbr nmbr num telephone phone cell telefono celular cel
  anymore: anymore nomore
  fuck: fuck fck fk fuk fuq phuck
  haha: haha hahaha lol lmao lmfao rofl jaja jajaja jeje hehe lolol
  subscription: subscription subscriptions suscripcion subscripcion suscripciones
`

export const ALIASES: ReadonlyMap<string, string> = new Map(
  MEANINGS.trim()
    .split('\n')
    .flatMap((line) => {
      const [meaning, words] = line.trim().split(': ') as [string, string]
      return words.split(' ').map((word) => [word, meaning] as const)
    }),
)

/** Words that people run together around a stop, longest first. */
export const GLUED: readonly string[] =
  `unsubscribe messaging messages sending texting message please
  calling optout remove number cancel alone leave texts these spam stop text quit dont more this msgs
  list from your all now end pls plz sms the msg me us it no my to 2 u`
    .split(/\s+/)
    .sort((a, b) => b.length - a.length)

/** Politeness, swearing, and emphasis. A request keeps its meaning without them. */
export const FILLERS: ReadonlySet<string> = new Set(
  `please thanks thank ok okay k kk alright fine hi hello hey hola yo dude bro bruh man sir maam madam
   guys everyone folks sorry just now already immediately immediatly asap right away
   ever ugh uh um well oh ah hmm nope nah yes yeah si really seriously literally honestly simply
   fuck fucking fuckin fuckn fcking fking fkn fuk fuking freaking freakin frickin effing damn
   dammit damnit goddamn goddam shit shitty bullshit bs crap hell heck bloody wtf tf af smh rn ffs bitch bitches
   bich asshole assholes ass bastard bastards jerk jerks idiot idiots moron morons stupid dumb creep
   creeps scum scammer scammers spammer spammers loser losers pendejo pendejos cabron cabrones mierda
   verga carajo maldito malditos puta puto chingado chinga pinche pinches cono
   ya mismo inmediatamente ahora ahorita buenas buenos dias tardes noches amigo amigos senor senora
   oye oigan mira miren haha omg`.split(/\s+/),
)

const START = '(?<![^ ,])'
const END = '(?![^ ,])'
const saying = (words: string): RegExp => new RegExp(`${START}(?:${words})${END}`, 'g')

/** Clauses that agree with a stop, marked by their meaning. */
const BESIDE = [
  'who (?:is|r|are|tf is|the fuck is|the hell is) (?:this|these|you|that)',
  'who(?:s|dis| dis| this) ?(?:this|dis)?',
  '(?:this is |you have |you got |youve got |its )?(?:the |a )?wrong (?:number|person|guy)',
  '(?:i am |im |we are |were |still |really )*not interested(?! in)(?: anymore)?',
  'no longer interested',
  'no thanks',
  'no habla?o? ingles|no english|(?:i )?dont speak english',
  'idk who (?:this|you) (?:is|are|r)',
  '(?:i |we )?dont know (?:you|who (?:this|you) (?:is|are|r))',
  '(?:i |we )?(?:never|didnt) (?:signed|sign|asked|ask|subscribed|subscribe|opted|consented) (?:up )?(?:in )?(?:to |for )?(?:this|these|that|your|any|it)?(?: texts?)?',
  '(?:this is|its) (?:bother|a scam|scam|harassment|illegal)',
  '(?:fuck|screw) (?:you|off)',
  'number equivocado|se equivoco|te equivocaste|se equivocaron|equivocado',
  '(?:a mi )?no me interesan?(?! (?:que|recib|seguir|sus|estos|mas))|no estoy interesad[oa](?! en)',
  'quien (?:es|eres|son|sos)(?: usted| tu| you)?',
  'no (?:te|los|las|lo|la|le|les) conozco|no se quien (?:es|eres|son)',
]

const agreeing: [RegExp, string][] = BESIDE.map((words) => [saying(words), ', beside ,'])

/** Applied in this order, to one clause at a time. */
export const PHRASES: readonly [RegExp, string][] = [
  [saying('do not|do nt'), 'dont'],
  [saying('st op|sto p'), 'stop'],
  // A reason without a comma: "stop I never signed up", "stop or I will report you".
  [
    /^((?:please )?stop(?: it| now)?)(?: or)? (?=(?:i|im|ill|we|this is|you have|or else) )/g,
    '$1,',
  ],
  [saying('can not|could not'), 'cant'],
  [saying('will not'), 'wont'],
  [saying('any more'), 'anymore'],
  [saying('thank you(?: very much| so much)?|muchas thanks'), 'thanks'],
  [saying('por please|por fa'), 'please'],
  [saying('un subscribe|un sub'), 'unsubscribe'],
  [saying('opt out|opting out|opt outs|op out|ot out'), 'optout'],
  [saying('opt (me|this number|my number) out'), 'optout me'],
  [saying('text (texts|notices)'), '$1'],
  [saying('reach out(?: to)?'), 'text'],
  [saying('(?:writing|texting) out(?: to)?'), 'texting'],
  [saying('leave me and my \\w+ alone'), 'leave me alone'],
  [saying('sent from my \\w+(?: \\w+)?|sent via \\w+|get outlook for \\w+'), ''],
  [saying('hitting me up|hitting up|hitting my number up'), 'texting me'],
  [saying('hit me up'), 'text me'],
  [saying('blowing my number up'), 'bothering me'],
  [saying('any and all'), 'all'],
  [saying('blowing (?:me up|up)'), 'bothering'],
  // Another business's footer, quoted or forwarded.
  [
    saying(
      '(?:reply|text|send|type|respond|responda|responde|envie|envia|answer|with)(?: with| con| the word)? (?:stop|stopall|quit|cancel|unsubscribe|help|baja|alto|parar) (?:to|2|para|at any time)(?: (?:stop|end|quit|cancel|unsubscribe|optout|cancelar))?',
    ),
    'footer',
  ],
  // Texting while driving is something else.
  [/\btext(?:ing)? (?:and|while|n|when) (?:driving|walking|drive|you drive|i drive)\b/g, 'driving'],
  [
    saying(
      '(?:fuck|f|eff|piss|bugger|buzz|screw|sod|bug|back) off|go away|get lost|enough already|enough is enough|knock it off|cut it out|go to hell|go fuck yoursel(?:f|ves)|vete a la \\w+|vayanse a(?: la|l) \\w+|vete al \\w+|vayanse|larguense|larguese|largate|(?:get|stay) out of my (?:number|life|inbox)',
    ),
    'goaway',
  ],
  ...agreeing,
]

/** Whether any of them is present. Most clauses have none. */
export const ANY_PHRASE = new RegExp(PHRASES.map(([{ source }]) => source).join('|'))
