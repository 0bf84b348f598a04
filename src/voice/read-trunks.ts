// The SIP trunks, from the file in LONGCODE_TRUNKS or the sandbox's default.

import { type Static, Type } from 'typebox'
import type { Config } from '../kit/config.js'
import { checkFields } from '../kit/settings-file/check-fields.js'
import type { Expanded } from '../kit/settings-file/expand-variables.js'
import { choice, flag, Name, text, whole } from '../kit/settings-file/field-schemas.js'
import type { Path, SettingsProblem } from '../kit/settings-file/settings-document.js'
import {
  readSettingsFile,
  type SettingsRead,
  type SettingsSource,
} from '../kit/settings-file/settings-file.js'
import {
  canonicalNetwork,
  isHostPort,
  NO_TRUNK_LIMITS,
  type TrunkSettings,
} from '../sip/answer/trunk.js'
import { ANY_FORM } from '../sip/forwarding/number-forms.js'

export interface Trunks {
  trunks: readonly TrunkSettings[]
  /** Warnings: settings that work but should be fixed. One sentence each. */
  warnings: readonly string[]
}

const TRUNKS_MAX = 100
const SOURCES_MAX = 1_000
/** A network with fewer bits is larger than any trunk's. */
const BITS_MIN = 8

const SourceText = text(2, 49, {
  'x-check': (source: string) => canonicalNetwork(source) !== null,
  'x-expects': 'must be an address such as 203.0.113.7, or a network such as 203.0.113.0/24',
})
const HostText = text(1, 261, {
  'x-check': isHostPort,
  'x-expects': 'must be a host such as sbc.example.com, or a host and a port, without sip:',
})
const { called, prefix, written } = ANY_FORM
const Form = choice(called)

const TrunkFields = Type.Object({
  name: Name,
  sources: Type.Array(SourceText, { minItems: 1, maxItems: SOURCES_MAX }),
  contactHost: HostText,
  contactTransport: Type.Optional(choice(['udp', 'tcp', 'tls'])),
  diversionHost: Type.Optional(HostText),
  embedDiversion: flag(false),
  numbers: Type.Object(
    {
      called: Type.Array(Form, { minItems: 1, maxItems: called.length, default: called }),
      prefix: text(0, 20, {
        pattern: '^[0-9A-Za-z*#+_.-]{0,20}$',
        default: prefix,
        'x-expects': 'must be 0 to 20 letters, digits, * # + _ . or -, in quotes',
      }),
      written: choice(called, written),
    },
    { default: ANY_FORM },
  ),
  limits: Type.Object(
    {
      callsPerSecond: whole(0, 1_000_000, 0),
      callsPerDay: whole(0, 1_000_000_000, 0),
    },
    { default: NO_TRUNK_LIMITS },
  ),
})

export const TrunksFile = Type.Object({
  trunks: Type.Array(TrunkFields, { minItems: 1, maxItems: TRUNKS_MAX }),
})

type Written = Static<typeof TrunkFields>

/** Calls from this machine, redirected to a softphone or SIPp on it. */
const SANDBOX_TRUNK: TrunkSettings = {
  name: 'sandbox',
  sources: ['127.0.0.0/8', '::1'],
  contactHost: '127.0.0.1:5070',
  contactTransport: null,
  diversionHost: '127.0.0.1',
  isDiversionEmbedded: false,
  numberForms: ANY_FORM,
  limits: NO_TRUNK_LIMITS,
}

/** Empty: no call is answered. Throws BadSettingsFile. */
export function readTrunksOf(
  config: Pick<Config, 'mode' | 'trunksFile' | 'publicUrl'>,
): readonly TrunkSettings[] {
  const { mode, trunksFile: file, publicUrl } = config
  if (file !== null) return readTrunks({ file, publicUrl }).trunks
  return mode === 'sandbox' ? [SANDBOX_TRUNK] : []
}

/** Throws BadSettingsFile. */
export function readTrunks({
  publicUrl,
  ...source
}: SettingsSource & Pick<Config, 'publicUrl'>): Trunks {
  const { settings, warnings } = readSettingsFile(source, (values) => readValues(values, publicUrl))
  return { trunks: settings, warnings }
}

function readValues(
  { value, fromOutside }: Pick<Expanded, 'value' | 'fromOutside'>,
  publicUrl: string,
): SettingsRead<TrunkSettings[]> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const text = 'must be a map with trunks: see trunks.example.yaml'
    return { settings: null, problems: [{ path: [], text }], warnings: [] }
  }
  const checked = checkFields(TrunksFile, value, [], fromOutside)
  if (checked.problems.length > 0) {
    return { settings: null, problems: checked.problems, warnings: [] }
  }
  const { trunks } = checked.value as Static<typeof TrunksFile>
  const problems = [...nameProblems(trunks), ...sourceProblems(trunks)]
  const ownHost = findOwnHost(publicUrl)
  const settings = trunks.map((trunk) => toSettings(trunk, ownHost))
  return { settings, problems, warnings: wideSources(trunks) }
}

function toSettings(own: Written, ownHost: string | null): TrunkSettings {
  const { embedDiversion, numbers, contactTransport = null, diversionHost, ...rest } = own
  return {
    ...rest,
    contactTransport,
    diversionHost: diversionHost ?? ownHost ?? own.contactHost,
    isDiversionEmbedded: embedDiversion,
    numberForms: numbers,
  }
}

/** Our public host name, if there is one: the Diversion header names our side. */
function findOwnHost(publicUrl: string): string | null {
  const { hostname } = new URL(publicUrl)
  const isOnlyHere = /^(?:localhost|127\.[\d.]+|\[::1\]|0\.0\.0\.0|\[::\])$/.test(hostname)
  return isOnlyHere || !isHostPort(hostname) ? null : hostname
}

function nameProblems(trunks: readonly Written[]): SettingsProblem[] {
  return trunks.flatMap(({ name }, i) => {
    const isFirst = trunks.findIndex((other) => other.name === name) === i
    return isFirst
      ? []
      : [{ path: ['trunks', i, 'name'], text: `"${name}" is used twice. Choose another name` }]
  })
}

/** Networks can be nested: the smaller one applies. Equal ones would be ambiguous. */
function sourceProblems(trunks: readonly Written[]): SettingsProblem[] {
  const owners = new Map<string, number>()
  return sourcesOf(trunks).flatMap(({ source, path, trunk }): SettingsProblem[] => {
    const { network } = canonicalNetwork(source)!
    const owner = owners.get(network)
    owners.set(network, owner ?? trunk)
    if (owner === undefined) return []
    if (owner === trunk) return [{ path, text: 'is listed twice' }]
    const text = `is already a source of ${trunks[owner]!.name}. A source can belong to only one trunk`
    return [{ path, text }]
  })
}

function wideSources(trunks: readonly Written[]): SettingsProblem[] {
  return sourcesOf(trunks).flatMap(({ source, path }) => {
    const { bits } = canonicalNetwork(source)!
    if (bits >= BITS_MIN) return []
    const whose = bits === 0 ? 'anybody' : 'a large part of the internet'
    const text = `answers ${whose}, who can then find out where numbers are forwarded. List only the addresses of the trunk`
    return [{ path, text }]
  })
}

function sourcesOf(trunks: readonly Written[]): { source: string; path: Path; trunk: number }[] {
  return trunks.flatMap(({ sources }, trunk) =>
    sources.map((source, i) => ({ source, path: ['trunks', trunk, 'sources', i], trunk })),
  )
}
