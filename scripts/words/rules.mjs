// The words that we do not use, and what to write instead: plain American English and the field's own terms. The
// patterns are narrow, because many of these words are fine in another sense.

/** In documents, texts, comments, and test names. */
export const WORDS = [
  [/\bwhoever\b/i, 'anyone who, a client that'],
  [/\banew\b/i, 'again'],
  [/\bonce more\b/i, 'again'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix, correct, resubmit'],
  [/\bby (?:itself|themselves)\b/i, 'automatically, alone'],
  [/\bso many\b/i, 'N, the number of'],
  [/\bformer(?:ly)?\b/i, 'previous, earlier'],
  [/\b(?:stands?|stood) (?:in|at|there|beside|under|for itself)\b/i, 'is in, is listed in'],
  [
    /\bof (?:yours|ours|(?:its|their|his|your|our|my) own)\b(?! SMSC)/i,
    'your, its own (only to contrast)',
  ],
  [/\bat hand\b/i, 'available'],
  [/\bwhat (?:came|comes|became|becomes) of\b/i, 'the result, the outcome'],
  [/\bto be had\b/i, 'is available'],
  [/\bbeside\b/i, 'next to, alongside, in addition to'],
  [/\bliving (?:token|session|account)s?\b/i, 'valid, active'],
  [/\bprey\b/i, 'common fraud target'],
  [/\bcancell(?:ed|ing)\b/i, 'canceled, canceling'],
  [/\bin sight\b/i, 'visible'],
  [/\b(?:lay|lays|laid) out\b/i, 'distribute'],
  [/\bcut by time\b/i, 'partitioned by time'],
  [/\boctets?\b(?!-stream)/i, 'bytes'],
  [/\bverdicts?\b/i, 'decision, result'],
  [/\bthe world’?'?s time\b/i, 'real time'],
  [/\bput off\b/i, 'postponed, rescheduled'],
  [/\b(?:go|goes|went|gone|going) on\b/i, 'continue'],
  [/\b(?:house|wing)s?\b/i, 'service, operator pages'],
  [/\b(?:is|are|was|were|be|been) asked\b/i, 'requested, required, queried'],
  [/\b(?:limits?|settings?|rules?|prices?) holds?\b/i, 'apply, are enforced'],
  [/\bhas it not\b|\bhave it not\b/i, 'does not have it'],
  [
    /(?:^|[.:;(] ?|\/\/ |\* )Who (?:does|has|is|asks|sends|holds|wants|takes|knows)\b(?![^?]*\?)/,
    'anyone who, a client that',
  ],
  [
    /\b(?:it|that|this|which|service|program|process|database|carrier|provider|page|line|file|test|error|answer|header|doctor) (?:says|tells)\b/i,
    'reports, shows, prints, returns',
  ],
  [/\b(?:messages?|sends?|submits?|texts?) (?:is|are|was|were) (?:not )?taken\b/i, 'accepted'],
]

/** In names of files, types, functions, and variables. Names that are stored or public (columns, settings) stay. */
export const NAMES = [
  [/(?:^|[a-z_-])[Dd]esk(?![a-z])|\bdesks?\b/, 'client, sources, pool, queue'],
  [/(?:^|[a-z_-])Wish(?![a-z])|\bwish(?:es)?\b|-wish\b/, 'request, query'],
  [/\bsaidBy|\bsaid[A-Z]/, 'providerMessage, parse…Error'],
  [/[a-z]Words\b|(?<!plain|refusal)-words\b/, 'description, describe…'],
  [/\blook(?:Ms|EveryMs|edAt|Timer)\b|\bLOOK_/, 'poll, probe, check: pollIntervalMs, check_at'],
  [/\bHappening\b|\bhappening\b/, 'SessionEvent'],
  // The chaos test has a judge, which decides whether anything was lost.
  [/[jJ]udge(?:[A-Z]|-)|-judge\b/, 'evaluate, validate, policy', /^bench\/chaos\//],
  [/Verdict/, 'SubmitResult, decision'],
  [/\bbesideOwn\b|\bOWN_ROW\b/, 'fromTenantRow'],
  [/\bSetAside\b|\bset-aside\b/, 'KeyedBackoff'],
  [/\bAskedAgain\b|\bisUndone\b/, 'RedeliveryTracker, isOptOutReverted'],
  [/\bhandOn\b/, 'handOff'],
  [/\bbarred\b|\bisBarred\b/, 'optedOut'],
  [/\b(?:rented|rent)Numbers?\b|\brented-/, 'providerNumbers'],
  [/\bmissedWindow\b/, 'window_missed'],
  [/\bcareLoop\b|\bcare-(?:loop|commands)\b/, 'retention'],
  [/[tT]idy(?:[A-Z]|-loop)|\btidy-/, 'purge, normalize'],
  [/\bforget[A-Z]|[a-z]Forget|\bforget-/, 'purge, delete'],
  [/\bsweep[A-Z]|\bSWEEP_|\bsweep-/, 'purge, scan'],
  [
    /\bTaken(?:Message|Part)|\btaken(?:At|Max|Part)\b|\btaken-/,
    'accepted',
    /^(?:src|test|bench)\/.*smsc/,
  ],
  [/\bMOMENT_|\bstemOf\b|\bidOfStem\b/, 'timePrefix, idBody'],
]
