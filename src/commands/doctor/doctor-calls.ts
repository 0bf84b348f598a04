// What `longcode doctor` reports about phone calls: whether and where they are answered, how many trunks there are, and
// how many numbers the running service has loaded.

import type { Config } from '../../kit/config.js'
import { BadSettingsFile } from '../../kit/settings-file/settings-file.js'
import { plural } from '../../text/plural.js'
import { readTrunks, readTrunksOf, type Trunks } from '../../voice/read-trunks.js'
import { type Finding, fail, note, ok } from './doctor-checks.js'

const ANSWER_MS_MAX = 3_000

/** `url` is the address of the running service. An invalid file is a finding, not an exception. */
export async function examineCalls(
  config: Readonly<Config>,
  url: string | null,
): Promise<Finding[]> {
  try {
    const { trunks, warnings } = findTrunks(config)
    const remedy = 'This is only a warning. The service uses the file.'
    return [
      ok(
        'calls',
        `${describeListening(config, trunks.length)}${await describeRunning(config, url)}`,
      ),
      ...warnings.map((warning) => note('calls', warning, remedy)),
    ]
  } catch (error) {
    if (!(error instanceof BadSettingsFile)) throw error
    const remedy = 'Fix the file, then check it with `longcode voice trunks`.'
    return error.problems.map((problem) => fail('calls', problem, remedy))
  }
}

function findTrunks(config: Readonly<Config>): Trunks {
  const { trunksFile: file, publicUrl } = config
  if (file !== null) return readTrunks({ file, publicUrl })
  return { trunks: readTrunksOf(config), warnings: [] }
}

function describeListening(
  { voice, mode, trunksFile, roles }: Readonly<Config>,
  trunks: number,
): string {
  if (voice === null) {
    return mode === 'production' && trunksFile === null
      ? 'Not answered: LONGCODE_TRUNKS is not set.'
      : 'Not answered over SIP: LONGCODE_SIP_PORT is off.'
  }
  const many = plural(trunks, 'trunk')
  const tls = voice.tls === null ? '' : `, TLS on ${voice.tls.port}`
  const where = `${voice.host}:${voice.port} (UDP, TCP${tls}), ${many}`
  if (roles.includes('voice')) return `Answered on ${where}.`
  return `Answered by other processes: LONGCODE_ROLES does not include voice here (${many}).`
}

/** Requires the operator token. */
async function describeRunning(
  { operatorToken }: Readonly<Config>,
  url: string | null,
): Promise<string> {
  if (url === null || operatorToken === null) return ''
  try {
    const response = await fetch(`${url}/operator/v1/health`, {
      headers: { authorization: `Bearer ${operatorToken}` },
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    })
    const { calls } = (await response.json()) as { calls?: { state: string; numbers: number } }
    if (!calls || calls.state === 'elsewhere') return ''
    const silent = calls.state === 'silent' ? ', but no port is open' : ''
    return ` The running service has ${plural(calls.numbers, 'number')} in memory${silent}.`
  } catch {
    return ''
  }
}
