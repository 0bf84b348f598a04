// Statements that break a rule of statement-rules.mjs on purpose: by rule and file, with the reason.

export const EXCEPTIONS = {
  'a DELETE does not join a list of rows of several accounts': {
    'src/accounts/idempotency-queries.ts': 'used only without a cluster (deleteTogether)',
    'src/messages/dispatch/handoff-queries.ts': 'used only without a cluster (deleteTogether)',
    'src/messages/dispatch/submit-queries.ts': 'used only without a cluster (deleteTogether)',
  },
  'distributed tables and coordinator tables are not joined': {
    'src/accounts/token-queries.ts': 'a page of the token list of one account',
    'src/messages/redact-queries.ts': 'media files past their retention period, in batches',
  },
}
