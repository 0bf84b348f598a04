// Statements that break a rule of statement-rules.mjs on purpose: by the rule, the file, and why that is well there.

export const EXCEPTIONS = {
  'what is updated or deleted is named by its account': {
    'src/accounts/smpp-bind-queries.ts': 'binds of processes that died: swept again a moment later',
    'src/voice/call-queries.ts': 'counts of calls of days long past: swept again the next day',
  },
  'tables of accounts and tables of the coordinator are not joined': {
    'src/accounts/token-queries.ts': 'the list of tokens of one account, as a page of it',
    'src/messages/redact-queries.ts': 'files of messages that are past their days, in portions',
  },
}
