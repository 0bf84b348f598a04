// The link in the carriers file: its current and new content. The file is replaced after the checks of `carrier check`.
// If it cannot be written, the setup returns the lines to paste.

import path from 'node:path'
import {
  type EntryValue,
  editList,
  type SettingsEntry,
  writeList,
} from '../../kit/settings-file/edit-list.js'
import { expandVariables } from '../../kit/settings-file/expand-variables.js'
import { replaceFile } from '../../kit/settings-file/replace-file.js'
import { readDocument } from '../../kit/settings-file/settings-document.js'
import { BadSettingsFile, readText } from '../../kit/settings-file/settings-file.js'
import type { ProviderWithSetup } from '../providers/providers.js'
import { readCarriers } from '../settings/read-carriers.js'
import { SetupRefusal, type SetupRequest } from './setup.js'
import type { SetupStage } from './setup-stage.js'

/** The file, and the values of its variables. */
export interface LinkFileSource {
  /** Null if there is no file. */
  file: string | null
  /** Whether the settings of the service name this file, and their public URL. */
  isSet: boolean
  publicUrl: string
  variable: (name: string) => string | null
  allowsSimulator: boolean
}

export interface LinkFile {
  text: string
  /** The names of all links, in order. */
  names: string[]
  hasRoutes: boolean
  /** As written. Null if the link is new. */
  previous: Record<string, unknown> | null
  /** The same with the values of variables. */
  values: Record<string, unknown>
}

const EMPTY: LinkFile = { text: '', names: [], hasRoutes: false, previous: null, values: {} }

/** Refuses a file that is not YAML, and a name that is used by a link of another kind. */
export function readLinkFile(
  { file, variable }: LinkFileSource,
  { name, provider }: Pick<SetupRequest, 'name' | 'provider'>,
): LinkFile {
  const found = file === null ? { problem: '(ENOENT)' } : readText(file)
  if ('problem' in found) {
    if (found.problem.includes('(ENOENT)')) return EMPTY
    throw new SetupRefusal('file', `${file} ${found.problem}.`)
  }
  const document = readDocument(found.text)
  if ('text' in document) {
    throw new SetupRefusal('file', `${file}:${document.line} ${document.text}.`)
  }
  const links = entriesOf(document.value, 'links')
  const at = links.findIndex((one) => one.name === name)
  const previous = links[at] ?? null
  if (previous && previous.kind !== provider.name) {
    throw new SetupRefusal(
      'name',
      `The file already has a link "${name}" of kind ${String(previous.kind)}. Choose another name.`,
    )
  }
  return {
    text: found.text,
    names: links.map((one) => String(one.name)),
    hasRoutes: entriesOf(document.value, 'routes').length > 0,
    previous,
    values: (expandVariables(previous ?? {}, variable).value ?? {}) as Record<string, unknown>,
  }
}

function entriesOf(value: unknown, list: string): Record<string, unknown>[] {
  const found = (value as Record<string, unknown> | null)?.[list]
  if (!Array.isArray(found)) return []
  return found.filter((one) => typeof one === 'object' && one !== null)
}

/** The value of a field: as given, or else from the file. */
export function fieldValue(
  request: SetupRequest,
  file: LinkFile,
  name: string,
): string | undefined {
  const input = request.fields[name]
  if (input) return input.value
  const numbers = (file.values.numbers ?? {}) as Record<string, unknown>
  const value = file.values[name] ?? numbers[name]
  return value === undefined || value === null || value === '' ? undefined : String(value)
}

/** Values that were found or created, in addition to the input. */
export interface SetupFindings {
  containerId: string
  fields: Readonly<Record<string, string>>
}

type NamedEntry = SettingsEntry & { name: string }

/** The fields of the link that differ from the file, with its name and kind. */
function composeLink(request: SetupRequest, file: LinkFile, found: SetupFindings): NamedEntry {
  const entry: Record<string, EntryValue> = {}
  for (const { name, isSecret } of ownFields(request.provider)) {
    const value = found.fields[name] ?? request.fields[name]?.value
    if (value === undefined || value === file.values[name]) continue
    const variable = request.fields[name]?.variable
    entry[name] = isSecret && variable ? `\${${variable}}` : escaped(value)
  }
  return {
    name: request.name,
    kind: request.provider.name,
    ...entry,
    ...containersOf(request, file, found),
  }
}

/** The whole link, to paste. Secrets are shown as variables. */
function pasteText(request: SetupRequest, file: LinkFile, found: SetupFindings): string {
  const entry: Record<string, EntryValue> = {}
  for (const { name, isSecret, variable } of ownFields(request.provider)) {
    const value = found.fields[name] ?? fieldValue(request, file, name)
    if (value === undefined) continue
    entry[name] = isSecret ? `\${${request.fields[name]?.variable ?? variable}}` : escaped(value)
  }
  const { name, provider } = request
  return writeList('links', {
    name,
    kind: provider.name,
    ...entry,
    ...containersOf(request, file, found),
  })
}

/** Secrets that are written in the link itself. */
const ownFields = ({ setup: { fields, numberFields = [] } }: ProviderWithSetup) =>
  fields.filter(({ name }) => !numberFields.includes(name))

function containersOf(
  request: SetupRequest,
  file: LinkFile,
  { containerId }: SetupFindings,
): SettingsEntry {
  const { provider, campaign, monthlyPrice, registration } = request
  const { byCampaign: place, others } = provider.setup.containerFields
  const isOnlyOfCampaign =
    campaign !== null && others !== undefined && file.previous?.[others] !== undefined
  return {
    ...(others !== undefined && !isOnlyOfCampaign && { [others]: containerId }),
    ...(campaign !== null && { [place]: { ...mapAt(file, place), [campaign]: containerId } }),
    ...(monthlyPrice !== null && { numbers: numbersOf(request, file, monthlyPrice) }),
    ...(registration && { registration: registrationOf(registration, file) }),
  }
}

function numbersOf(request: SetupRequest, file: LinkFile, monthlyPrice: number): EntryValue {
  const place = Object.fromEntries(
    (request.provider.setup.numberFields ?? []).flatMap((name) => {
      const value = request.fields[name]?.value
      return value === undefined ? [] : [[name, value]]
    }),
  )
  return { ...mapAt(file, 'numbers'), monthlyPrice, ...place }
}

function registrationOf(
  { vertical, isMock }: NonNullable<SetupRequest['registration']>,
  file: LinkFile,
): EntryValue {
  return { ...mapAt(file, 'registration'), mock: isMock, ...(vertical !== null && { vertical }) }
}

function mapAt({ previous }: LinkFile, name: string): Record<string, EntryValue> {
  return (previous?.[name] ?? {}) as Record<string, EntryValue>
}

/** Escapes text so nothing in it is a variable. As a function, because `$$` in a replacement text is one `$`. */
const escaped = (value: string) => value.replaceAll('${', () => '$${')

interface WrittenLink {
  state: 'done' | 'same' | 'failed'
  /** Added or changed. */
  changed: string[]
  isNew: boolean
  /** Why it was not written: a system error code, or problems that it would have. */
  obstacle: string | null
  problems: string[]
}

/** Existing problems are reported and do not block. A change that adds a problem is not written. */
function writeLink(
  file: string,
  { text: before }: LinkFile,
  entry: NamedEntry,
  check: (file: string) => string[],
): WrittenLink {
  const { text, isNew, changed } = editList(before, 'links', entry)
  const previous = before === '' ? [] : check(file)
  if (changed.length === 0) {
    return { state: 'same', isNew, changed, obstacle: null, problems: previous }
  }
  const existing = new Set(previous.map(withoutPlace))
  let problems: string[] = []
  const obstacle = replaceFile(file, text, (passing) => {
    problems = check(passing)
    return problems.every((problem) => existing.has(withoutPlace(problem)))
  })
  return { state: obstacle === null ? 'done' : 'failed', isNew, changed, obstacle, problems }
}

/** The same checks as `carrier check`. The sentences name the target file. */
function problemsOf(
  { allowsSimulator, variable, ...configured }: LinkFileSource,
  newPublicUrl: string | null,
  file: string,
): { problems: string[]; warnings: readonly string[] } {
  const publicUrl = newPublicUrl ?? configured.publicUrl
  try {
    const { warnings } = readCarriers({ file, allowsSimulator, publicUrl, variable })
    return { problems: [], warnings }
  } catch (error) {
    if (!(error instanceof BadSettingsFile)) throw error
    return { problems: [...error.problems], warnings: [] }
  }
}

const withoutPlace = (problem: string) => problem.replace(/^\S+?(?::\d+)? /, '')

/** Whether the file has the link. */
export function putIntoFile(stage: SetupStage, found: SetupFindings): boolean {
  stage.at = 'file'
  const { request, file: before } = stage
  const { file } = stage.source
  const showsLines = stage.obstacle() !== null || request.isDryRun
  if (showsLines) stage.report.yaml = pasteText(request, before, found)
  if (file === null || stage.obstacle() !== null) {
    stage.say('failed', stage.obstacleText())
    return false
  }
  if (request.isDryRun) {
    stage.say('planned', `Would write the link ${request.name} to ${file}.`)
    return false
  }
  const check = (name: string) => problemsIn(stage, name)
  const written = writeLink(file, before, composeLink(request, before, found), check)
  if (written.state === 'failed') {
    stage.report.yaml = pasteText(request, before, found)
    stage.say('failed', refusalText(stage, file, written))
    return false
  }
  stage.say(written.state, doneText(stage, file, written))
  tellCheck(stage, file, written.problems)
  return written.problems.length === 0
}

function refusalText(stage: SetupStage, file: string, { obstacle, problems }: WrittenLink): string {
  if (obstacle !== 'not usable') return stage.obstacleText(obstacle)
  return `${file} was not changed, because the result could not be used: ${problems.join(' ')}`
}

function doneText({ request }: SetupStage, file: string, written: WrittenLink): string {
  if (written.state === 'same') return `${file} already has the link ${request.name}.`
  const changed = written.changed.join(', ')
  const head = written.isNew
    ? `Wrote the link ${request.name} to ${file}.`
    : `Changed the link ${request.name} in ${file}: ${changed}.`
  const secrets = request.provider.setup.fields.filter(({ isSecret }) => isSecret)
  const own = secrets.filter(({ name }) => written.changed.includes(name))
  const variables = own.flatMap(({ name }) => request.fields[name]?.variable ?? [])
  if (variables.length === 0) return head
  return `${head} The service needs ${variables.join(', ')} in its environment.`
}

/** Replaces the name of the temporary file with that of the target file. */
function problemsIn({ source, request }: SetupStage, name: string): string[] {
  const { problems } = problemsOf(source, request.publicUrl, name)
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
  const { warnings } = problemsOf(stage.source, stage.request.publicUrl, file)
  stage.say('done', `${file} is valid.`)
  const { name } = stage.request
  const { names, hasRoutes } = stage.file
  const [first] = names
  if (warnings.some((warning) => warning.includes(`(${name}) is in no route`))) {
    const remedy = `List ${name} under links or failover of a route in ${file}.`
    stage.lack('route', `No route uses ${name}, so it only receives.`, remedy)
  } else if (!hasRoutes && first !== undefined && first !== name) {
    const remedy = `Put ${name} first in ${file}, or add a route for it.`
    stage.lack('route', `${first} comes first: ${name} sends only while ${first} is down.`, remedy)
  }
  lackSettings(stage, file)
}

/** Settings that the service itself needs. */
function lackSettings(stage: SetupStage, file: string): void {
  const { source, report, request } = stage
  if (!source.isSet) {
    const text = 'The service does not use this file yet.'
    stage.lack('setting', text, `Set LONGCODE_CARRIERS=${file} where it runs, and restart it.`)
  }
  if (report.callbackUrl !== null && source.publicUrl !== request.publicUrl) {
    const text = 'The service does not have its public URL yet.'
    const remedy = `Set LONGCODE_PUBLIC_URL=${request.publicUrl} where it runs, and restart it. Callback signatures are checked against it.`
    stage.lack('setting', text, remedy)
  }
}
