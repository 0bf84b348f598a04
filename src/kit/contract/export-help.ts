// The cause of each refusal about exports, and what to do about it.

export const EXPORT_HELP = {
  export_missing: {
    cause: 'The account has no export with this ID, or it was deleted or has expired.',
    remedy: 'Use an ID from `GET /v1/export/list`, or create the export again.',
  },
  export_of_another: {
    cause: 'The export was requested by another person or token of the account.',
    remedy: 'Ask them, or someone with the role owner, admin, or developer, to delete it.',
  },
  export_unfinished: {
    cause: 'The file was requested while its export is RUNNING, or the export is FAILED.',
    remedy:
      'Read the export until its status is DONE. Create a failed one again with a shorter time range.',
  },
  export_running: {
    cause: 'An account can run one export at a time.',
    remedy: 'Wait until its status is DONE, or delete it with `DELETE /v1/export/{id}`.',
  },
  exports_full: {
    cause: 'An account can store ten exports. Each is deleted seven days after it is finished.',
    remedy: 'Download what you need, and delete one with `DELETE /v1/export/{id}`.',
  },
}
