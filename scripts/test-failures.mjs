// A reporter that collects failures and prints them again after the last test. In the long output of CI, which may
// be truncated to its end, a failure in the middle is easily lost.

import path from 'node:path'

const MESSAGE_LINES_MAX = 40

export default async function* failures(source) {
  for await (const { type, data } of source) {
    if (type !== 'test:fail' || isOfItsTests(data)) continue
    yield `✖ ${data.name} (${path.relative('.', data.file ?? '')}:${data.line ?? 0})\n${reasonOf(data)}\n\n`
  }
}

/** A file or suite that failed says nothing that its tests do not. */
function isOfItsTests({ details }) {
  return details?.error?.failureType === 'subtestsFailed'
}

function reasonOf({ details }) {
  const error = details?.error?.cause ?? details?.error
  const lines = String(error?.stack ?? error).split('\n')
  return lines
    .slice(0, MESSAGE_LINES_MAX)
    .map((line) => `  ${line}`)
    .join('\n')
}
