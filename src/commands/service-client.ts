// Sends HTTP requests to a running service, for customer commands. Address and token come from the options, the
// environment, or the sandbox's files.

import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { readClientSettings } from '../kit/config.js'
import type { FieldProblem } from '../kit/contract/refusal.js'
import { trimSlashes } from '../kit/settings/trim-slashes.js'
import { CommandFailure } from './failure.js'

export interface ClientOptions {
  url?: string
  token?: string
}

export interface ServiceClient {
  url: string
  token: string
  call: (method: string, path: string, body?: object) => Promise<Record<string, unknown>>
}

/** Which service to use, and with which token. */
export function withService(command: Command): Command {
  return command
    .option(
      '--url <address>',
      'URL of the service (default: LONGCODE_URL, else http://127.0.0.1:PORT)',
    )
    .option('--token <token>', 'access token (default: LONGCODE_TOKEN, else that of the sandbox)')
}

export function createServiceClient(options: ClientOptions): ServiceClient {
  const settings = readClientSettings()
  const url = trimSlashes(options.url ?? settings.url)
  const token = options.token ?? settings.token ?? sandboxToken(settings.dataDir)
  if (token === null) {
    throw new CommandFailure(
      'No access token. Use --token, set LONGCODE_TOKEN, or run this in the folder that contains the sandbox’s data folder.',
      'token_absent',
    )
  }
  return { url, token, call: (method, route, body) => call({ url, token }, method, route, body) }
}

// The sandbox stores its first token, because it shows it at every start.
function sandboxToken(dataDir: string): string | null {
  try {
    return readFileSync(path.join(dataDir, 'access-token'), 'utf8').trim() || null
  } catch {
    return null
  }
}

async function call(
  { url, token }: { url: string; token: string },
  method: string,
  route: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const response = await reach(`${url}${route}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const answer = parseAnswer(text)
  if (response.ok && answer) return answer
  throw failureOf(response.status, url, answer)
}

/** `fetch`, with a clear error if the service is not running. */
export async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    const { origin } = new URL(url)
    const cause = (error as { cause?: { code?: string } }).cause?.code ?? (error as Error).message
    throw new CommandFailure(
      `No service answers at ${origin} (${cause}). Start it with \`longcode serve\`, or use --url.`,
      'service_unreachable',
    )
  }
}

function parseAnswer(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return null
  }
}

function failureOf(
  status: number,
  url: string,
  answer: Record<string, unknown> | null,
): CommandFailure {
  if (typeof answer?.error !== 'string') {
    return new CommandFailure(`${url} returned ${status}. It is not a Longcode service.`)
  }
  const details = Array.isArray(answer.details) ? (answer.details as FieldProblem[]) : []
  return new CommandFailure(answer.error, String(answer.code ?? 'failed'), details)
}
