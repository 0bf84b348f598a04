// The link put into the carriers' file, and the file checked as `carrier check` does; where it cannot be written, the
// lines to paste.

import path from 'node:path'
import {
  composeLink,
  type Found,
  pasteText,
  problemsOf,
  type WrittenLink,
  writeLink,
} from './link-file.js'
import { SETUP_FIELDS } from './setup-fields.js'
import type { SetupStage } from './setup-stage.js'

/** Whether the file is as it should be. */
export function putIntoFile(stage: SetupStage, found: Found): boolean {
  stage.at = 'file'
  const { wish, file: before } = stage
  const { file } = stage.source
  const showsLines = stage.obstacle() !== null || wish.isDryRun
  if (showsLines) stage.report.yaml = pasteText(wish, before, found)
  if (file === null || stage.obstacle() !== null) {
    stage.say('failed', stage.obstacleText())
    return false
  }
  if (wish.isDryRun) {
    stage.say('planned', `Would write the link ${wish.name} to ${file}.`)
    return false
  }
  const check = (name: string) => problemsIn(stage, name)
  const written = writeLink(file, before, composeLink(wish, before, found), check)
  if (written.state === 'failed') {
    stage.report.yaml = pasteText(wish, before, found)
    stage.say('failed', refusalText(stage, file, written))
    return false
  }
  stage.say(written.state, doneText(stage, file, written))
  tellCheck(stage, file, written.problems)
  return written.problems.length === 0
}

function refusalText(stage: SetupStage, file: string, { obstacle, problems }: WrittenLink): string {
  if (obstacle !== 'not usable') return stage.obstacleText(obstacle)
  return `${file} was not changed, because it could not be used then: ${problems.join(' ')}`
}

function doneText({ wish }: SetupStage, file: string, written: WrittenLink): string {
  if (written.state === 'same') return `${file} has the link ${wish.name}, as it should be.`
  const changed = written.changed.join(', ')
  const head = written.isNew
    ? `Wrote the link ${wish.name} to ${file}.`
    : `Changed the link ${wish.name} in ${file}: ${changed}.`
  const secrets = SETUP_FIELDS[wish.kind].filter(({ isSecret }) => isSecret)
  const own = secrets.filter(({ name }) => written.changed.includes(name))
  const variables = own.flatMap(({ name }) => wish.fields[name]?.variable ?? [])
  if (variables.length === 0) return head
  return `${head} The service needs ${variables.join(', ')} in its environment.`
}

/** They name the file that is meant, not the one that is looked at in passing. */
function problemsIn({ source, wish }: SetupStage, name: string): string[] {
  const { problems } = problemsOf(source, wish.publicUrl, name)
  return problems.map((problem) =>
    problem.replaceAll(path.basename(name), path.basename(source.file!)),
  )
}

function tellCheck(stage: SetupStage, file: string, problems: readonly string[]): void {
  stage.at = 'check'
  if (problems.length > 0) {
    stage.say('failed', problems.join('\n'))
    return
  }
  const { warnings } = problemsOf(stage.source, stage.wish.publicUrl, file)
  stage.say('done', `${file} can be used.`)
  const { name } = stage.wish
  const { names, hasRoutes } = stage.file
  const [first] = names
  if (warnings.some((warning) => warning.includes(`(${name}) is in no route`))) {
    const remedy = `Name ${name} under links or failover of a route in ${file}.`
    stage.lack('route', `No route names ${name}: it receives, and sends nothing.`, remedy)
  } else if (!hasRoutes && first !== undefined && first !== name) {
    const remedy = `Put ${name} first in ${file}, or write a route for it.`
    stage.lack('route', `${first} goes before it: ${name} sends only while that is down.`, remedy)
  }
  lackSettings(stage, file)
}

/** What the service itself must be told. */
function lackSettings(stage: SetupStage, file: string): void {
  const { source, report, wish } = stage
  if (!source.isSet) {
    const text = 'The service does not know the file yet.'
    stage.lack('setting', text, `Set LONGCODE_CARRIERS=${file} where it runs, and start it again.`)
  }
  if (report.callbackUrl !== null && source.publicUrl !== wish.publicUrl) {
    const text = 'The service does not know its public address yet.'
    const remedy = `Set LONGCODE_PUBLIC_URL=${wish.publicUrl} where it runs, and start it again: signatures are checked against it.`
    stage.lack('setting', text, remedy)
  }
}
