// What a refusal looks like once a message is plain words (plain-words.ts). Each form names what should end, so
// "stop by at 5" and "remove the onions" pass. Matched against one clause without its politeness.

const OBJECT = '(?:me|him|her|them|my \\w+|our \\w+|this number|this person|number|people|everyone)'
const DETERMINER =
  '(?:calls|or|no|los|las|sus|estos|marketing|the|these|this|those|that|your|my|all|of|any|anymore|more|such|so|many|with|w|about|sending|getting|receiving|unwanted|unsolicited|daily|weekly|constant|endless|random|annoying|bothering|automated|automatic|promotional|promo|political|campaign|text|bother|silly|other|further|future|mass|group)'
const NOUN = '(?:texts|notices|bother|marketing|advertising|solicitation)'
const PERSON =
  '(?:me|him|her|them|my (?:number|wife|husband|mom|dad|mother|father|parents|kids?|son|daughter|family|house|home)|this number|this person|number|anyone|people)'
const THING =
  '(?:texts|notices|text|bother|this|that|these|those|them|it|stuff|things|anything|everything|nonsense|garbage|junk)'
const STOP = '(?:stop|quit|cease|refrain from)'
const TO_ME = '(?: me| my \\w+| this number| to (?:me|this number|my number))'
const LIST =
  '(?:list|lists|database|system|records|roster|thread|group|group text|chat|conversation|service|campaign|directory|contacts|texts|notices|text|everything|this|these|it|here|all|subscription)'
// A guest list or a waiting list is something else.
const OF_LIST = `(?:(?:of|from) )?(?:(?:this|the|your|that|any|all|these|those|every) )*(?:(?!guest|wait|waiting|price|shopping|invite|grocery|wish|party)[a-z]+ ){0,2}?${LIST}`
const MINE =
  '(?:me|(?:all )?(?:of )?my (?:number|name|info|information|details|text|text info|number number|data|email)|this number|number|our number)'
// Phrases that mean permanently. Anything else after "don't text me" limits it.
const FOR_GOOD =
  '(?:again|anymore|no more|about \\w+.*|with (?:this|these|that|your|any).*|for any.*|from (?:this|your|any|now on).*|(?:at|on|to) (?:this|my) number.*|or (?:text|call|bother|write).*|under any.*|via .*|by (?:text|number|call|write).*|no mo|in the future|at all|period|any of.*|i am.*|im .*)'
const NOT_WANTED =
  '(?:(?:dont|not|never|no longer) (?:want|wanna|wish|care|like|desire|need|interested in)|rather not|prefer not|to no longer)'

const asWordPattern = (pattern: string): RegExp => new RegExp(`(?<![^ ])${pattern}`)

/** Forms of one kind. Few clauses have any of a group, and `any` checks that in one match. */
export type Forms = readonly { any: RegExp; each: readonly RegExp[] }[]

/** Checking all in one match takes 3 µs less per text, but compiling that takes 110 ms more at each start. */
const GROUP_SIZE = 6

function formsOf(texts: readonly string[]): Forms {
  const starts = texts.flatMap((_, i) => (i % GROUP_SIZE === 0 ? i : []))
  return starts.map((start) => {
    const group = texts.slice(start, start + GROUP_SIZE)
    return { any: asWordPattern(`(?:${group.join('|')})`), each: group.map(asWordPattern) }
  })
}

export const ENGLISH: Forms = formsOf([
  `${STOP} (?:all )?texting(?! (?:you|him back|her back|back)\\b)`,
  `${STOP} (?:all )?writing(?:(?: to)? ${OBJECT}|$)`,
  `${STOP} bothering(?: ${OBJECT}| with|$)`,
  `(?:${STOP}|end|cancel|disable|terminate|deactivate|turn off|shut off|block) (?:${DETERMINER} )*${NOUN}\\b`,
  `(?:${STOP}|end|cancel) (?:${DETERMINER} )*text$`,
  `(?:${STOP}|end|cancel|terminate|delete) (?:(?:my|the|this|our|all|any|text) )*subscription(?: (?:to|for|from|with|please|asap|i).*)?$`,
  `if you (?:would |could )?(?:please )?stop(?:ped)? texting`,
  `${STOP} (?:getting|receiving)(?: ${DETERMINER})*(?: ${THING})?(?: (?:from|anymore|on|at)\\b.*)?$`,
  `${STOP} sending${TO_ME}?(?: ${DETERMINER})* ${NOUN}\\b`,
  `${STOP} sending${TO_ME}?(?: ${DETERMINER})*(?: ${THING})?(?: anymore| to (?:me|this number|my number))?$`,
  `(?:dont|never|no longer) text(?: ${PERSON})?(?: ${FOR_GOOD})?$`,
  `(?:can|could|would|will|asked|told|asking|telling|rather|want|need) you (?:to )?not (?:to )?(?:text|bother|write)(?: ${PERSON})?(?: ${FOR_GOOD})?$`,
  'no need (?:for you )?to (?:text|write|call)(?: me| this number)? (?:again|anymore)',
  `(?:dont|never) bother(?: or (?:call|text|bother|write))* ${OBJECT}(?: ${FOR_GOOD})?$`,
  '(?:dont|never) call or text',
  `(?:dont|never) send${TO_ME}?(?: ${DETERMINER})* ${NOUN}\\b`,
  '(?:dont|never) send(?: me| this number)?(?: any| anymore| more| these| this| of| your)*(?: text| anything| stuff)?(?: (?:again|anymore|else|to (?:me|this number)))*$',
  `${NOT_WANTED}(?: to)?(?: be)? (?:receive|receiving|get|getting)(?: ${DETERMINER})*(?: ${THING})?(?: (?:from|anymore|on|at|to|about|again)\\b.*)?$`,
  '(?:(?:dont|not|never|no longer) (?:want|wanna|wish|care|like)|rather not|prefer not)(?: for)?(?: you)?(?: to)?(?: be)? (?:text(?:ed)?|contacted|messaged|bothered|bother(?! you)|notified|subscribed|hear from|hearing from)',
  `(?:dont|no longer) (?:want|wish)(?: ${DETERMINER})* ${NOUN}\\b`,
  `(?:not|no longer) interested in(?: ${DETERMINER})* ${NOUN}\\b`,
  `(?:dont|no longer) (?:need|care for|like)(?: ${DETERMINER})* ${NOUN}(?: anymore| from.*)?$`,
  `(?:dont|no longer) (?:want|wish) to be on ${OF_LIST}`,
  `no (?:more )?(?:${DETERMINER} )*(?:texts|bother|marketing|solicitation)(?: (?:again|anymore|from.*|to.*))?$`,
  `no (?:more|further|other) (?:${DETERMINER} )*(?:text|notices)\\b`,
  `enough (?:${DETERMINER} )*(?:texts|notices|bother|texting)\\b`,
  `(?:take|get|scratch|cross|pull|strike|leave|keep) ${MINE} (?:off|out of)(?: ${OF_LIST})?(?: anymore)?$`,
  `(?:remove|delete|erase|drop|unlist|wipe|scrub|strike|withdraw|exclude|purge) ${MINE}(?: (?:from|off)(?: of)? ${OF_LIST}| from your.*)?$`,
  `(?:remove|delete|take|get)(?: me| this| my)?(?: number)? (?:from|off)(?: of)? ${OF_LIST}$`,
  '(?:remove|take|delete) (?:it|this|that) (?:from|off)(?: of)? your (?:\\w+ )?(?:list|database|system|records)',
  `(?:be|get|being|getting) (?:removed|taken off|deleted|unsubscribed|dropped|taken)(?: (?:from|off)(?: of)? ${OF_LIST})?$`,
  `(?:want|let me) (?:off|out)(?: (?:of )?${OF_LIST})?$`,
  `^off (?:of )?${OF_LIST}$`,
  '(?:lose|forget|delete|erase|trash|toss|burn|block|wipe) (?:you had |about )?(?:my|this|our|the) (?:number|info|digits|text|number number)\\b',
  '(?:put|add|place|am|im|is|are|number|on) (?:me |my number |this number )?(?:on|to|in)? ?(?:the |your |a |national )*(?:dont|no) (?:call|text)(?: or (?:call|text))? (?:list|registry)',
  'leave (?:me|my \\w+|this number) (?:the )?(?:alone|be)(?: you)?$',
  '(?:told|tell|asked|asking|telling|begging|want|need|like|said|demand|beg|order)(?: (?:you|them|for you|that you))? (?:(?:guys|all|many|multiple|several|times|repeatedly|again|nicely|before|twice|politely) )*(?:to )?stop(?: (?:it|this|that|before|twice|times))*$',
  'i (?:texted|replied|sent|typed|wrote|answered|responded|say|have said)(?: with)? stop(?: (?:twice|before|\\w+ times))?$',
  'make (?:it|this|these|them|these texts|the texts|your texts|those texts) (?:all )?stop$',
  '(?:texts|notices|this|these|bother|texting) (?:all )?(?:need|needs|have|has|must|got|better|should|to)(?: to| better)? (?:stop|cease|end)$',
  '(?:revoke|revoking|withdraw|withdrawing|rescind|retract|revoked) (?:(?:my|all|any|the|our) )*(?:previous |prior )?(?:consent|permission|authorization|optin|agreement)',
  '(?:consent|permission) (?:is |has been |was )?(?:revoked|withdrawn|rescinded|denied)',
  '(?:didnt|never) (?:give|gave) you (?:my |any )?(?:consent|permission)',
  '(?:report|reported|reporting) (?:you |this |it )?(?:number )?(?:to|as) (?:the |a )?(?:fcc|ftc|bother|authorities|police|attorney general|harassment|carrier)',
  '(?:i|we) (?:dont|no longer) (?:give (?:you )?(?:my )?(?:consent|permission)|(?:consent|agree|authorize)(?: (?:you )?to .*| this| these.*| any.*)?$)',
  '(?:you )?(?:dont|no longer) have (?:my|our|any)? ?(?:consent|permission|authorization)',
])

const MENSAJES = '(?:texts|text|notices|informacion|cosas|nada|bother)'
const LISTA =
  '(?:de|del) (?:(?:la|su|sus|tu|esta|este|esa|ese|las|todas|los) )*(?:\\w+ )?(?:lista|listas|base|sistema|grupo|registros?|contactos|texts|aqui|ahi|esto|directorio|subscription)(?! de (?:espera|invitados|precios|compras))'
const WRITE =
  '(?:escrib(?:a[ns]?|ir|irme|irnos)|contact(?:e[ns]?|ar|arme|arnos)|molest(?:e[ns]?|ar|arme|arnos)|texte(?:e[ns]?|ar|arme)|mensaje(?:e[ns]?|ar|arme)|fastidi(?:e[ns]?|ar)|jod(?:a[ns]?|er))'
const SEND = '(?:mand(?:e[ns]?|ar|arme|arnos)|envi(?:e[ns]?|ar|arme|arnos))'
const TAKE_OUT = '(?:borr|elimin|quit|sac|saqu|remuev|remov|retir|exclu[iy]|bor)'
const NUMERO = '(?:number|contacto|nombre|datos|informacion|number de number)'

export const SPANISH: Forms = formsOf([
  'dej[ae]n?(?:me|nos)? de (?:estar )?(?:escrib|contact|molest|jod|ching|freg|fastidi|acos|spame|texte|mensaje|insist|busc)\\w*',
  'dej[ae]n?(?:me|nos)? de (?:estar )?(?:mand|envi)\\w*(?:me|nos)(?:los|las|lo|la)?\\b(?! (?:al|a la|el|la)\\b)',
  `dej[ae]n?(?:me|nos)? de (?:estar )?(?:mand|envi)\\w*(?: (?:tantos|estos|esos|sus|los|mas|tanto|tanta|a este number))*(?: ${MENSAJES}|$)`,
  'dej[ae]n?(?:me|nos) (?:en paz|tranquil[oa]s?)',
  `dej(?:o|ar) de recibir(?: (?:estos|esos|sus|los|mas|tantos))*(?: ${MENSAJES})?$`,
  'me (?:dejan?|dejen?|pueden? dejar|podrian? dejar) (?:en paz|tranquil[oa])',
  `no (?:me |nos |le |les )?(?:vuelv[ae][ns]? a )?${WRITE}(?: (?:mas|nunca|jamas|nada|otra vez|nuevamente|por \\w+|a (?:este|mi) number|a mi|aqui|${MENSAJES}))*$`,
  `no (?:me |nos |le |les )?(?:vuelv[ae][ns]? a )?${SEND}(?: (?:mas|nunca|jamas|tantos|estos|esos|sus|ningun|ninguna|otro|otros|esto|eso))*(?: de)?(?: (?:sus|estos|esos))?(?: ${MENSAJES})?(?: (?:a (?:este|mi) number|mas|nunca|jamas|de \\w+|otra vez))*$`,
  'no (?:me |nos )?llam\\w* ni (?:me )?(?:escrib|mand|envi|contact|texte|molest)\\w*',
  'no insist(?:a[ns]?|ir)(?: mas)?$',
  `nunca mas (?:me )?(?:vuelv[ae][ns]? a )?(?:${WRITE}|${SEND})`,
  'no (?:me |nos )?(?:est[ae]n?s?|and[ae]n?s?) (?:mand|envi|escrib|molest|contact|insist|jodi|ching|freg)\\w*ndo',
  'stop (?:de )?(?:mandar|enviar|escrib|molest)\\w*',
  'no (?:me |nos )?sig[au]n?s? (?:mand|envi|escrib|molest|contact|insist)\\w*',
  `no (?:me )?(?:quier|dese|quisier|gustaria|interesa|estoy interesad[oa] en|autoriz|acept|necesit|pid)\\w*(?: (?:mas|seguir|que|me|nos|volver|a|yo|sigan?|ser|llam\\w+ ni))* (?:recibir|recibiendo|(?<=(?:me|ser|seguir|sigan?|nos|ni) )(?:envi|mand|escrib|contact|molest|llame)\\w*)(?: (?:mas|tantos|estos|esos|sus|los|las|esta|este|ningun|ninguna|ningunos|tipo|de))*(?: (?:${MENSAJES}|esto|eso|estos|esos))?(?: (?:de .*|mas|a (?:este|mi) number|por (?!correo|paqueteria).*|en mi number))?$`,
  'no (?:quier|dese)\\w* (?:seguir )?(?:estar|aparecer|ser parte|pertenecer) (?:en|de|a) (?:(?:la|su|esta|este|el|sus) )*(?:lista|grupo|texts|esto)',
  `(?:quier\\w+|pido|solicito|deseo|gustaria) (?:que )?me (?:borr|elimin|quit|saqu|remuev|retir)\\w+(?: ${LISTA})?$`,
  'olvid\\w*(?:se|te)? de (?:mi|nosotros)(?: number)?$',
  'no (?:me )?(?:quier|dese|quisier|necesit|interesan?|estoy interesad[oa] en)\\w*(?: (?:mas|tus|sus|estos|esos|tantos|tu|su|los|las|ningun|recibir))* (?:texts|notices|bother|informacion)\\b',
  'no (?:quier|dese)\\w* (?:saber )?(?:mas )?(?:nada )?(?:mas )?(?:de|con) (?:you|ellos|esta empresa|su empresa)',
  'no mas (?:\\w+ )?(?:texts?|notices|bother)\\b',
  '(?:ni un|ningun) (?:texts|text|bother) mas',
  '(?:(?:da|dar|den|doy)(?:me|nos|le|les|se)?|deme|denos|dense|solicit\\w+|pid\\w+|quier\\w+|deseo|tramit\\w+) (?:\\w+ ){0,2}?(?:de )?baja\\b(?! (?:el|la|los|las|un|una|presion|tension|medica|laboral|mi (?!number))\\b)',
  `${TAKE_OUT}\\w*(?:me|nos)(?: ${LISTA})?$`,
  `(?:${TAKE_OUT}|pierd|olvid)\\w* (?:mi|este|el|nuestro|mis|de mi) ${NUMERO}(?: ${LISTA})?$`,
  `${TAKE_OUT}(?:ar|er|a|e|en) number(?: ${LISTA})?$`,
  `${TAKE_OUT}\\w*(?:me|nos)? ${LISTA}`,
  '(?:cancel(?:a|e|en|ar|o|arme|ame|enme)?|anul\\w*|termin(?:e|en|ar|a)|finalic?z?\\w*|suspend\\w*|elimin\\w*|desactiv\\w*|quit(?:e|en|ar|a)|deten\\w*|par(?:en|ar|e)|alto) (?:(?:mi|la|mis|esta|las|de|el|los|sus|estos|con|a|tantos|envio) )*(?:subscription|texts|notices|bother|envios?)\\b',
  '(?:par[ae]n?|parar|deten\\w*) (?:de|con) (?:\\w+ )?(?:mand|envi|escrib|molest|contact|texts|notices|jod|ching|llam)\\w*',
  'basta (?:de|con) (?:\\w+ )?(?:texts|notices|bother|molest\\w*|mand\\w*|tantos|esto)',
  '(?:retir|revoc|cancel)\\w* (?:mi|el) (?:consentimiento|permiso|autorizacion)',
  'no (?:doy|les doy|le doy|tienen|tiene|tienes|cuentan con) (?:mi |el )?(?:consentimiento|permiso|autorizacion)',
  '(?:salir|salirme|salgo) (?:de|del) (?:(?:la|su|esta|este|el|sus) )*(?:lista|grupo|texts)',
])

/** Only calls: someone who adds "text me instead" wants the opposite. */
export const CALLS: Forms = formsOf([
  `${STOP} calling(?: ${OBJECT})?(?: (?:anymore|again|at this number|on this number))?$`,
  `(?:dont|never) (?:call|write)(?: to)? ${OBJECT}(?: ${FOR_GOOD})?$`,
  'no (?:me |nos )?(?:vuelv[ae][ns]? a )?llam(?:e[ns]?|ar)(?:me)?(?: (?:mas|nunca mas|a este number))+$',
  'dej[ae]n? de llamar(?:me|nos)?$',
])
export const TEXT_INSTEAD =
  /^(?:just |only |you can |better |mejor |rather )*(?:text|send|escrib\w*|mand\w*|texte\w*)(?: me| us|$)|\btext(?:ing)? (?:instead|only|is better|works)|\bprefer (?:a )?text/

/** What may precede a bare stop: a request, an order, a question how. */
export const WISH = new RegExp(
  `^(?:${[
    'no',
    '(?:i|we) (?:would |d )?(?:like|want|wish|need|demand|request|beg|ask)(?: (?:you|for you))?(?: guys)?(?: to)?',
    '(?:id|we d) like(?: you)?(?: to)?',
    '(?:im|i am|we are)(?: asking| telling| requesting| begging| demanding)? ?(?:you )?(?:to)?',
    '(?:can|could|would|will|wont|may) (?:you|i|we|someone)',
    'how (?:do|can|to|would|does)(?: (?:i|we|you|one))?(?: get (?:you|this|it|these|them) to)?',
    '(?:you|you guys) (?:need|have|must|should|gotta|better)(?: to)?',
    '(?:i )?(?:said|say|repeat)|let me|want to|wanna|i wanna|to|lets|for the last time|again|one last time',
    '(?:quiero|quisiera|deseo|necesito|solicito|pido)(?: que)?|como(?: puedo| me| hago para)?|les pido(?: que)?|le pido(?: que)?|dije|te dije|les dije|me|por',
  ].join('|')})(?: |$)`,
)

const TAIL =
  '(?: (?:stop|stopall|quit|end|cancel|unsubscribe|optout|it|this|that|these|those|them|all|me|everything|nonsense|garbage|junk|stuff|harassment|with|you|today|forever|permanently|texts|notices|text|bother|again|to|2|de|from|your|the|list|esto|todo|eso|goaway|cease|no|more|of))*'

export const BARE: readonly RegExp[] = [
  new RegExp(`^(?:stop|stopall|unsubscribe|unsubscribed|optout|cease|goaway)${TAIL}$`),
  /^(?:quit|end|cancel)(?: (?:all|texts?|notices|me|everything|quit|end|cancel|stop))*$/,
  /^quit it$|^remove(?: me| from list| number)?$|^revoke(?: all| consent)?$|^opted out$|^dnc$|^no more(?: of (?:this|these|that))?$|^no consent$|^block me$|^terminate$|^(?:im |i am |i will )?(?:blocking|block) (?:you|this number)$|^(?:you are )?blocked$|^leave (?:this |the )?(?:group|list|chat)$/,
  /^baja (?:(?:de|del) )?(?:la |mi )?(?:lista|servicio|subscription|texts)$|^alto a (?:esto|los texts)$/,
  /^(?:remover|parar?|pare|paren|par[ae]n?le|cancela|suspender|alto|basta|detener|detenga|detengan|detenganse|detente|baja|cancelar|cancelen|anular|terminar|salir|fin|eliminar|borrar|no mas|no molestar|estuvo bueno|estuvo)(?: (?:esto|eso|todo|paren|alto|basta|stop))*$/,
]
/** Only the words themselves are a request here: "can you cancel?" is about something else. */
export const UNWISHED =
  /^(?:quit|end|cancel\w*|anular|terminar|eliminar|borrar|fin|salir|para|baja|alto|basta|no more|estuvo)\b/

/** A clause that agrees with a stop. */
const BESIDE =
  /^(?:beside|no|wrong|again|enough|listen|look|period|im serious|i mean it|im done|i am not \w+(?: \w+)?|im not \w+(?: \w+)?|(?:this|that) (?:isnt|is not) \w+(?: \w+)?|(?:there is )?(?:nobody|no one|noone) (?:here )?(?:by|named|called).*|not (?:me|\w+s number|\w+)|you have the wrong.*|i have (?:no idea|told you).*|no soy \w+(?: \w+)?|(?:i will |i am |im |ill )?(?:report|block|sue).*|blocked|bother|you (?:are )?(?:bother|scam)\w*|goaway|else|never signed.*|(?:i|we) (?:dont|never|didnt|already|cant|wont) .*|(?:im |i am )?(?:so )?(?:sick|tired|fed up|annoyed).*|(?:estoy |estamos )?hart[oa]s? de.*|(?:ya )?me canse.*|no (?:pedi|solicite).*|(?:why (?:do|are) )?you (?:keep|are texting).*|why are you.*)$/

export const isBeside = (clause: string): boolean => BESIDE.test(clause) || isNoLonger(clause)

/** "He no longer has this number". Uses the first place of each part instead of trying all of them. */
function isNoLonger(clause: string): boolean {
  const at = clause.indexOf('no longer ')
  const rest = clause.slice(at + 'no longer '.length)
  if (at >= 0 && / (?:has|have|number)/.test(rest)) return true
  const owner = /no longer (?:has|have|owns?) /.exec(clause)
  return owner !== null && clause.slice(owner.index + owner[0].length).endsWith('number')
}

/** "Don't stop texting me", "did you stop sending texts?", "I will stop texting", "tell him to stop …". */
export const SPOKEN_AGAINST =
  /(?:^| )(?:(?:dont|never|cant|wont|didnt|wouldnt|doesnt|isnt|havent|hasnt|not|without|unless|hate)(?: (?:want|need|wish|you|to|ever|them|let|have|him|her|be|me|it|for|that|ask|asked|tell|told|see|if))*|(?:did (?:you|they|i)|when did|ill|i will|im going to|im gonna|i should|i must|i gotta|i have to|i had to|we will|we have to|(?:tell|told|ask|asked) (?:him|her|them|me)|he|she|if i)(?: \w+){0,2})$/
export const SPOKEN_AGAINST_SPANISH =
  /(?:^| )(?:no|nunca|si)(?: (?:quiero|quieren?|deseo|que|me|nos|te|le|les|se|puedo|pueden|necesito|vayan|a|vuelvan|lo|la|los|favor))*$/
/** Someone's habit, not a request: "you don't text me anymore", "I don't text". */
export const SUBJECT = /(?:^| )(?:you|i|we|they|he|she|it|why|who)$/
export const NEGATED_VERB = /^(?:dont|never) (?:text|call|bother|send|write)/
/** A limit in time or place is less than a refusal: "stop texting me after 9". */
export const LIMITED =
  /^ (?:me )?(?:before|after|until|til|till|while|when|whenever|if|during|between|unless|except|so (?:early|late)|this (?:early|late)|at (?:night|work|\d)|in the (?:morning|evening|middle)|on (?:weekends|sundays?|saturdays?|holidays))\b/
export const FOR_NOW = /\b(?:now|today|tonight|tomorrow|yet|hoy|manana|ahora)\b/

export const KEEPS_SUBSCRIBED =
  /\b(?:dont|not|never|didnt|wasnt|werent|why|did|accident|accidentally|mistake|mistakenly|undo|reverse|cancel my|no quiero|no me|error)\b/

export const CONTACT_AGAIN =
  /\bif (?:you|this|these|it|texts) (?:dont|doesnt|keep|keeps|continue)|\bif (?:you|i) (?:\w+ ){0,4}(?:text|texts|texting|call|bother|hear)|\b(?:one more|another) (?:text|time|texts)|\b(?:text|bother) me again/
export const THREAT =
  /\b(?:report|reporting|sue|suing|lawsuit|police|cops|lawyer|attorney|fcc|ftc|legal|court|tcpa)\b/
/** Another business's footer: an automatic reply, or a quote. */
export const FOOTER = /\bfooter\b|\brates may apply\b|\bhelp (?:for|4|to) help\b/
/** A place, a button or the keyword itself: "which bus STOP", "what does STOP do". */
export const NAMES_A_STOP =
  /\b(?:the|a|an|this|that|my|your|bus|train|next|last|first|full|pit|non|one|text|texted|reply|replied|send|sent|type|typed|press|hit|word|says|dont|never|not|cant|wont|to|will|ill|i|we|and|or) stop$/
