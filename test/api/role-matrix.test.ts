// Every operation of the API requested by a person of every role. docs/role-matrix.md has the answers, so a change of what a
// role may do appears in review. UPDATE_SNAPSHOTS=1 writes it again.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { ACCOUNT_ROLES } from '../../src/accounts/role.js'
import { namedOperations } from '../../src/operator/operator-role.js'
import { INSTALLATION_ROLES } from '../../src/people/user.js'
import { customerRoutes, fillPath, operatorRoutes, type Route } from '../every-route.js'
import { testService } from '../harness.js'
import { type Joined, OPERATOR_TOKEN, operatorWith, personWith } from '../people-fixtures.js'

const FILE = new URL('../../docs/role-matrix.md', import.meta.url)

const HEAD = `# Who may use which operation

What [people](people.md) may do, by role. A test sends every request as a person of every role and writes this page. Other people get
403 \`role_absent\`, or 401 if they have no role on that side. Operations that need no role, such as signing in, are not listed.
`

test('every operation answers people as docs/role-matrix.md lists', async (t) => {
  const service = await testService(t, { env: { LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN } })
  const people = new Map<string, Joined>()
  for (const role of ACCOUNT_ROLES) people.set(role, await personWith(service, role))
  for (const role of INSTALLATION_ROLES) people.set(role, await operatorWith(service, role))

  const mayUse = async (role: string, route: Route): Promise<boolean> => {
    // Roles are checked before the body, except for people. An empty body changes nothing.
    const body = route.path.startsWith('/console/') ? route.bodyExample : {}
    const query = route.path.endsWith('/stream') ? '?lastEventId=x' : ''
    const { request } = people.get(role)!
    const reply = await request(
      route.method,
      fillPath(route) + query,
      route.body ? body : undefined,
    )
    const where = `${role}: ${route.method} ${route.path} answered ${reply.status}`
    assert.ok(reply.status < 500, where)
    if (reply.status === 403) assert.match(reply.body.code, /^(?:role|membership)_absent$/, where)
    return reply.status !== 401 && reply.status !== 403
  }
  const section = async (title: string, routes: Route[], roles: readonly string[]) => {
    const lines = [`## ${title}`, '', `| Operation | ${roles.join(' | ')} |`]
    lines.push(`|---|${roles.map(() => ':-:|').join('')}`)
    for (const route of routes) {
      const marks: string[] = []
      for (const role of roles) marks.push((await mayUse(role, route)) ? '✓' : '')
      lines.push(`| \`${route.method} ${route.path}\` | ${marks.join(' | ')} |`)
    }
    return `${lines.join('\n')}\n`
  }

  const customers = customerRoutes(service)
  const text = [
    HEAD,
    await section('In an account', customers, ACCOUNT_ROLES),
    await section('For the installation', operatorRoutes(service), INSTALLATION_ROLES),
  ].join('\n')
  if (process.env.UPDATE_SNAPSHOTS === '1') writeFileSync(FILE, text)
  assert.equal(
    text,
    readFileSync(FILE, 'utf8'),
    'docs/role-matrix.md differs. Is it meant? UPDATE_SNAPSHOTS=1 writes it.',
  )
  for (const role of INSTALLATION_ROLES) {
    for (const route of customers) {
      assert.equal(await mayUse(role, route), false, `${role}: ${route.method} ${route.path}`)
    }
  }
  for (const route of operatorRoutes(service)) {
    assert.equal(await mayUse('owner', route), false, `owner: ${route.method} ${route.path}`)
  }
})

test('every operation that a role names exists', async (t) => {
  const service = await testService(t)
  const { paths } = service.app.swagger() as unknown as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  const ids = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  )
  assert.deepEqual(
    namedOperations().filter((id) => !ids.includes(id)),
    [],
  )
})
