// Failures of the embedded database, each as one sentence that a person can act on.

/** The message is for the user. A stack adds nothing. */
export class EmbeddedDatabaseFailure extends Error {}

/** Another live start holds the data folder. */
export class DataFolderBusy extends EmbeddedDatabaseFailure {}

// Both forms count: Node reports codes, and PostgreSQL's programs report texts of the C library.
const CAUSES: readonly (readonly [RegExp, string])[] = [
  [/ENOSPC|EDQUOT|no space left on device|disk quota exceeded/i, 'the disk is full'],
  [/EROFS|read-only file system/i, 'its file system is read-only'],
  [/ENOTDIR|EEXIST|not a directory/i, 'something in its path is not a folder'],
  [/EACCES|EPERM|permission denied|operation not permitted/i, 'its permissions do not allow it'],
]

/** Turns any error into the sentence for the user. */
export function explainFailure(error: unknown, dataDir: string): EmbeddedDatabaseFailure {
  if (error instanceof EmbeddedDatabaseFailure) return error
  const detail = error instanceof Error ? error.message : String(error)
  const cause = findCause(detail)
  return new EmbeddedDatabaseFailure(
    cause
      ? `The embedded database cannot use the data folder ${dataDir}: ${cause} (${detail}).`
      : `The embedded database did not start: ${detail}`,
    { cause: error },
  )
}

/** The server ended while it was starting. Its log is the only information. */
export function explainCrash(
  how: string,
  dataDir: string,
  logFile: string,
  logTail: string,
): EmbeddedDatabaseFailure {
  const cause = findCause(logTail)
  const sentence = cause
    ? `The embedded database cannot use the data folder ${dataDir}: ${cause}.`
    : `The embedded database did not start (${how}).`
  return new EmbeddedDatabaseFailure(`${sentence} The end of its log ${logFile}:\n${logTail}`)
}

function findCause(detail: string): string | undefined {
  return CAUSES.find(([pattern]) => pattern.test(detail))?.[1]
}
