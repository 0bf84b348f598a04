// The hooks that the framework runs for a route, for tests of paths that bypass it.

import type { TestService } from './harness.js'

/** Each as `phase name`, in no particular order. */
export function hooksOf({ app }: TestService, path: string): string[] {
  const printed = app.printRoutes({ method: 'POST', commonPrefix: false, includeHooks: true })
  const [, ofRoute] = printed.split(`${path} (POST)\n`)
  const hooks: string[] = []
  for (const line of ofRoute!.split('\n')) {
    const [, phase, names] = /• \((\w+)\) (\[.*\])$/.exec(line) ?? []
    if (phase === undefined) break // the next route
    for (const name of JSON.parse(names!)) hooks.push(`${phase} ${name.replace(/\(\)$/, '')}`)
  }
  return hooks
}
