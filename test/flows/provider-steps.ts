// For tests of loops that work at a provider: a world whose time the test moves, and a provider that is a list of answers.

import { RemoteFault } from '../../src/kit/http-client/remote-fault.js'
import type { World } from '../../src/kit/world.js'
import type { TestService } from '../harness.js'

export const SILENT = 'No response.'
export const later = (text = 'Try later.') => new RemoteFault('later', text)
export const unknown = () => new RemoteFault('unknown', SILENT)
export const refused = (text = 'Never.', notes: RemoteFault['notes'] = []) =>
  new RemoteFault('refused', text, { notes })

/** The world of a service, with the test's time, and the hints and log lines since the last `clear`. */
export function steppedWorld(service: TestService) {
  let now = service.world.clock.now()
  const clock = { now: () => now, machineNow: () => now, nowMs: () => now.getTime() }
  const hinted: unknown[] = []
  const logged: [{ detail?: string }, string][] = []
  const note = (fields: object, text: string) => void logged.push([fields, text])
  const hints = {
    notify: (hint: string) => hinted.push(hint),
    remind: (hint: string, ms: number) => hinted.push([hint, ms]),
    pollMs: (ms: number) => ms,
  }
  const world = { ...service.world, clock, hints, log: { warn: note, error: note } }
  return {
    ...{ world: world as unknown as World, hinted, logged },
    now: () => now,
    move: (ms: number) => {
      now = new Date(now.getTime() + ms)
    },
    clear: () => {
      for (const list of [hinted, logged]) list.length = 0
    },
  }
}

/** Answers of each method, in order. Without one, it answers as usual. A request is its name and its values in short. */
export function scriptedProvider() {
  const requests: string[] = []
  const aliases = new Map<unknown, string>()
  let answers: Record<string, unknown[]> = {}
  const textsOf = (value: unknown): unknown[] => {
    if (!isObject(value)) return [aliases.get(value) ?? value]
    if ('id' in value) return textsOf(value.id)
    const fields = Object.entries(value).sort()
    return fields.flatMap(([, inner]) => textsOf(inner))
  }
  return {
    ...{ requests, aliases },
    method: (name: string, usual: unknown) => {
      return async (...args: unknown[]) => {
        requests.push([name, ...args.flatMap(textsOf)].join(' '))
        const queued = answers[name] ?? []
        const answer = queued.length > 0 ? queued.shift() : usual
        if (answer instanceof Error) throw answer
        return answer
      }
    },
    /** Replaces those that are left. */
    answer: (next: Record<string, unknown[]> = {}) => {
      answers = Object.fromEntries(Object.entries(next).map(([name, list]) => [name, [...list]]))
    },
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
