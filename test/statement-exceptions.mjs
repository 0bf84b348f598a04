// Statements that break a rule of statement-rules.mjs on purpose: by the rule, the file, and why that is well there.

export const EXCEPTIONS = {
  'rows of several accounts are not deleted by a list': {
    'src/accounts/idempotency-queries.ts': 'said only where there is no cluster (deleteTogether)',
    'src/messages/dispatch/handoff-queries.ts':
      'said only where there is no cluster (deleteTogether)',
    'src/messages/dispatch/submit-queries.ts':
      'said only where there is no cluster (deleteTogether)',
  },
  'tables of accounts and tables of the coordinator are not joined': {
    'src/accounts/token-queries.ts': 'the list of tokens of one account, as a page of it',
    'src/messages/redact-queries.ts': 'files of messages that are past their days, in portions',
  },
}
