// The link in the carriers' file: what it says now, what it should say, and the file put in its place once it was seen
// to be one that can be used.

import {
  type Entry,
  type EntryValue,
  editList,
  writeList,
} from '../../kit/settings-file/edit-list.js'
import { expandVariables } from '../../kit/settings-file/expand-variables.js'
import { replaceFile } from '../../kit/settings-file/replace-file.js'
import { readDocument } from '../../kit/settings-file/settings-document.js'
import { BadSettingsFile, readText } from '../../kit/settings-file/settings-file.js'
import type { ProviderName } from '../providers/provider-codes.js'
import { readCarriers } from '../settings/read-carriers.js'
import { SetupRefusal, type SetupWish } from './setup.js'
import { SETUP_FIELDS } from './setup-fields.js'

/** Where the file is, and with what its variables are filled. */
export interface LinkFileSource {
  /** Null: there is none. */
  file: string | null
  /** Whether the settings of the service name it; and the public address that they name. */
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
  /** As written; null where the link is new. */
  former: Record<string, unknown> | null
  /** The same, with variables filled. */
  values: Record<string, unknown>
}

const EMPTY: LinkFile = { text: '', names: [], hasRoutes: false, former: null, values: {} }

/** Refuses a file that is no YAML, and a name that is another kind's. */
export function readLinkFile(
  { file, variable }: LinkFileSource,
  { name, kind }: Pick<SetupWish, 'name' | 'kind'>,
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
  const former = links[at] ?? null
  if (former && former.kind !== kind) {
    throw new SetupRefusal(
      'name',
      `The file has a link "${name}" of the kind ${String(former.kind)} already: choose another name.`,
    )
  }
  return {
    text: found.text,
    names: links.map((one) => String(one.name)),
    hasRoutes: entriesOf(document.value, 'routes').length > 0,
    former,
    values: (expandVariables(former ?? {}, variable).value ?? {}) as Record<string, unknown>,
  }
}

function entriesOf(value: unknown, list: string): Record<string, unknown>[] {
  const found = (value as Record<string, unknown> | null)?.[list]
  if (!Array.isArray(found)) return []
  return found.filter((one) => typeof one === 'object' && one !== null)
}

/** What a field is: as given, else as the file has it. */
export function fieldValue(wish: SetupWish, file: LinkFile, name: string): string | undefined {
  const given = wish.fields[name]
  if (given) return given.value
  const numbers = (file.values.numbers ?? {}) as Record<string, unknown>
  const value = file.values[name] ?? numbers[name]
  return value === undefined || value === null || value === '' ? undefined : String(value)
}

/** What was found or made on the way, beside what was given. */
export interface Found {
  containerId: string
  publicKey?: string
  callbackUser?: string
  callbackPassword?: string
}

type NamedEntry = Entry & { name: string }

/** Where each keeps the container of a campaign. */
const BY_CAMPAIGN: Record<ProviderName, string> = {
  telnyx: 'profiles',
  bandwidth: 'applications',
  twilio: 'services',
}

/** What of the link differs from the file, with its name and its kind. */
export function composeLink(wish: SetupWish, file: LinkFile, found: Found): NamedEntry {
  const entry: Record<string, EntryValue> = {}
  for (const { name, isSecret } of ownFields(wish.kind)) {
    const value = found[name as keyof Found] ?? wish.fields[name]?.value
    if (value === undefined || value === file.values[name]) continue
    const variable = wish.fields[name]?.variable
    entry[name] = isSecret && variable ? `\${${variable}}` : escaped(value)
  }
  return { name: wish.name, kind: wish.kind, ...entry, ...containersOf(wish, file, found) }
}

/** The whole of it, to be pasted: secrets are named by variables, and not shown. */
export function pasteText(wish: SetupWish, file: LinkFile, found: Found): string {
  const entry: Record<string, EntryValue> = {}
  for (const { name, isSecret, variable } of ownFields(wish.kind)) {
    const value = found[name as keyof Found] ?? fieldValue(wish, file, name)
    if (value === undefined) continue
    entry[name] = isSecret ? `\${${wish.fields[name]?.variable ?? variable}}` : escaped(value)
  }
  const { name, kind } = wish
  return writeList('links', { name, kind, ...entry, ...containersOf(wish, file, found) })
}

/** Those that stand in the link itself. */
const ownFields = (kind: ProviderName) =>
  SETUP_FIELDS[kind].filter(({ name }) => name !== 'siteId' && name !== 'locationId')

function containersOf(wish: SetupWish, file: LinkFile, { containerId }: Found): Entry {
  const { kind, campaign, monthlyPrice, registration } = wish
  const place = BY_CAMPAIGN[kind]
  const isOnlyOfCampaign = campaign !== null && file.former?.application !== undefined
  return {
    ...(kind === 'bandwidth' && !isOnlyOfCampaign && { application: containerId }),
    ...(campaign !== null && { [place]: { ...mapAt(file, place), [campaign]: containerId } }),
    ...(monthlyPrice !== null && { numbers: numbersOf(wish, file, monthlyPrice) }),
    ...(registration && { registration: registrationOf(registration, file) }),
  }
}

function numbersOf(wish: SetupWish, file: LinkFile, monthlyPrice: number): EntryValue {
  const place = Object.fromEntries(
    ['siteId', 'locationId'].flatMap((name) => {
      const value = wish.fields[name]?.value
      return value === undefined ? [] : [[name, value]]
    }),
  )
  return { ...mapAt(file, 'numbers'), monthlyPrice, ...place }
}

function registrationOf(
  { vertical, isMock }: NonNullable<SetupWish['registration']>,
  file: LinkFile,
): EntryValue {
  return { ...mapAt(file, 'registration'), mock: isMock, ...(vertical !== null && { vertical }) }
}

function mapAt({ former }: LinkFile, name: string): Record<string, EntryValue> {
  return (former?.[name] ?? {}) as Record<string, EntryValue>
}

/** Nothing in it is a variable. */
const escaped = (value: string) => value.replaceAll('${', '$${')

export interface WrittenLink {
  state: 'done' | 'same' | 'failed'
  /** Added or changed. */
  changed: string[]
  isNew: boolean
  /** Why it was not written: by the system's word, or for what would be wrong with it. */
  obstacle: string | null
  problems: string[]
}

/** What was wrong before is told, and stands in nobody's way; what would be wrong because of this is not written. */
export function writeLink(
  file: string,
  { text: before }: LinkFile,
  entry: NamedEntry,
  check: (file: string) => string[],
): WrittenLink {
  const { text, isNew, changed } = editList(before, 'links', entry)
  const former = before === '' ? [] : check(file)
  if (changed.length === 0) {
    return { state: 'same', isNew, changed, obstacle: null, problems: former }
  }
  const known = new Set(former.map(withoutPlace))
  let problems: string[] = []
  const obstacle = replaceFile(file, text, (passing) => {
    problems = check(passing)
    return problems.every((problem) => known.has(withoutPlace(problem)))
  })
  return { state: obstacle === null ? 'done' : 'failed', isNew, changed, obstacle, problems }
}

/** As `carrier check` does; the sentences name the file that is meant. */
export function problemsOf(
  { allowsSimulator, variable, ...configured }: LinkFileSource,
  wanted: string | null,
  file: string,
): { problems: string[]; warnings: readonly string[] } {
  const publicUrl = wanted ?? configured.publicUrl
  try {
    const { warnings } = readCarriers({ file, allowsSimulator, publicUrl, variable })
    return { problems: [], warnings }
  } catch (error) {
    if (!(error instanceof BadSettingsFile)) throw error
    return { problems: [...error.problems], warnings: [] }
  }
}

const withoutPlace = (problem: string) => problem.replace(/^\S+?(?::\d+)? /, '')
