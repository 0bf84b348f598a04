// The Helm chart, rendered offline: with Helm if it is installed, else with the libraries that Helm's engine consists of
// (render-chart.go). The manifests are checked against the types of Kubernetes 1.30 by the TypeScript compiler, which
// finds unknown fields, missing fields, and wrong types. No cluster is involved.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { hasTool } from './machine-tool.js'
import { type Manifest, typeErrors } from './manifest-types.js'

const CHART = 'ops/helm/longcode'
const PACKAGES = 'golang-go golang-github-masterminds-sprig-dev golang-k8s-sigs-yaml-dev'
const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-chart-'))
after(() => rmSync(folder, { recursive: true }))

const MINIMAL = {
  publicUrl: 'https://sms.example.com',
  secret: { databaseUrl: 'postgres://longcode:x@db.example.com/longcode', operatorToken: 'token' },
}
const queue = { enabled: true, minReplicas: 2, maxReplicas: 8 }
const EVERYTHING = {
  ...MINIMAL,
  image: {
    repository: 'registry.example.com/longcode',
    tag: '1.2.3',
    pullSecrets: [{ name: 'r' }],
  },
  settings: { LONGCODE_TRUST_PROXY: '10.0.0.0/8', LONGCODE_RATE_LIMIT: 50 },
  carriers: { content: 'links:\n  - { name: acme, kind: smpp }\n' },
  trunks: { existingSecret: 'my-trunks' },
  deployments: {
    api: { autoscaling: { ...queue, cpu: 70 } },
    dispatch: { autoscaling: queue },
    deliver: { autoscaling: queue, settings: { LONGCODE_DATABASE_POOL: 20 } },
    voice: { roles: ['voice'], replicas: 2 },
  },
  ingress: { enabled: true, className: 'nginx', host: 'sms.example.com', tlsSecret: 'tls' },
  smpp: { enabled: true, tlsSecret: 'smpp-tls' },
  sip: { enabled: true },
  networkPolicy: {
    ingressFrom: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
    metricsFrom: [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }],
    database: { to: [{ ipBlock: { cidr: '10.1.2.3/32' } }] },
    extraEgress: [{ to: [{ ipBlock: { cidr: '10.9.0.0/16' } }], ports: [{ port: 2775 }] }],
  },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  prometheusRule: { enabled: true },
  dashboards: { enabled: true },
  tolerations: [{ key: 'messaging', operator: 'Exists' }],
  nodeSelector: { pool: 'messaging' },
}
const ONE_DEPLOYMENT = {
  publicUrl: 'https://sms.example.com',
  secret: { existing: 'my-secret' },
  deployments: {
    ...{ api: null, dispatch: null, deliver: null, schedule: null },
    all: { roles: ['api', 'dispatch', 'deliver', 'schedule'], replicas: 1 },
  },
}
const INSTALLATIONS = { MINIMAL, EVERYTHING, ONE_DEPLOYMENT }

let renderer: string[] | null = null

/** The command that renders; null if neither program is here, and the test is skipped. */
function findRenderer(t: TestContext): string[] | null {
  if (renderer) return renderer
  if (!spawnSync('helm', ['version'], { stdio: 'ignore' }).error) {
    renderer = ['helm', 'template', 'prod', CHART, '--namespace', 'messaging']
  } else if (hasGo(t)) {
    const program = path.join(folder, 'render-chart')
    const env = { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOFLAGS: '' }
    execFileSync('go', ['build', '-o', program, 'test/ops/render-chart.go'], { env })
    renderer = [program, CHART, 'prod']
  }
  return renderer
}

function hasGo(t: TestContext): boolean {
  return hasTool(t, 'go', PACKAGES, ['version'])
}

function render(t: TestContext, values: object): Manifest[] | null {
  const command = findRenderer(t)
  if (command === null) return null
  const { status, stdout, stderr } = runRenderer(command, values)
  assert.equal(status, 0, stderr)
  return parseAllDocuments(stdout)
    .map((document) => {
      assert.deepEqual(document.errors, [])
      return document.toJS() as Manifest
    })
    .filter((manifest) => manifest !== null)
}

function runRenderer(command: string[], values: object) {
  const file = path.join(folder, 'values.yaml')
  writeFileSync(file, stringify(values))
  const [program, ...args] = command
  const files = program === 'helm' ? ['--values', file] : [file]
  return spawnSync(program!, [...args, ...files], { encoding: 'utf8' })
}

const ofKind = (manifests: readonly Manifest[], kind: string) =>
  manifests.filter((manifest) => manifest.kind === kind)
const named = (manifests: readonly Manifest[], kind: string, name: string): Manifest => {
  const found = ofKind(manifests, kind).find(({ metadata }) => metadata.name === name)
  assert.ok(found, `${kind} ${name}`)
  return found
}
const isSelected = (selector: Manifest, labels: Manifest) =>
  Object.entries(selector).every(([key, value]) => labels[key] === value)

test('every manifest has the fields and types of Kubernetes, for three installations', (t) => {
  for (const [name, values] of Object.entries(INSTALLATIONS)) {
    const manifests = render(t, values)
    if (manifests === null) return
    const ids = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    assert.equal(new Set(ids).size, ids.length, `${name}: names are unique`)
    assert.deepEqual(typeErrors(manifests), [], name)
  }
})

test('the type check finds a misspelled field, a missing one, and a wrong type', (t) => {
  const [service] = ofKind(render(t, MINIMAL) ?? [], 'Service')
  if (!service) return
  const broken = (change: object) => typeErrors([{ ...service, ...change }]).length
  assert.equal(broken({}), 0)
  assert.notEqual(broken({ spec: { ...service.spec, portz: [] } }), 0)
  assert.notEqual(broken({ spec: { ...service.spec, ports: [{ name: 'http' }] } }), 0)
  assert.notEqual(broken({ spec: { ...service.spec, ports: [{ port: '80' }] } }), 0)
})

test('each role is a Deployment with probes, a drain, and no rights, and replicas spread', (t) => {
  const manifests = render(t, EVERYTHING)
  if (manifests === null) return
  const deployments = ofKind(manifests, 'Deployment')
  const names = deployments.map(({ metadata }) => metadata.name.replace('prod-longcode-', ''))
  assert.deepEqual(names.sort(), ['api', 'deliver', 'dispatch', 'schedule', 'voice'])
  for (const { metadata, spec } of deployments) {
    const pod = spec.template.spec
    const [container] = pod.containers
    const env = new Map(container.env.map(({ name, value }: Manifest) => [name, value]))
    assert.equal(env.get('LONGCODE_ROLES'), metadata.name.replace('prod-longcode-', ''))
    assert.deepEqual(spec.strategy.rollingUpdate, { maxSurge: 1, maxUnavailable: 0 })
    assert.equal(container.readinessProbe.httpGet.path, '/readyz')
    assert.equal(container.livenessProbe.httpGet.path, '/healthz')
    const stopSeconds = Number(container.lifecycle.preStop.exec.command[1])
    // The program drains for up to 10 s.
    assert.ok(stopSeconds + 10 < pod.terminationGracePeriodSeconds)
    assert.equal(container.securityContext.readOnlyRootFilesystem, true)
    assert.deepEqual(container.securityContext.capabilities, { drop: ['ALL'] })
    assert.equal(pod.securityContext.runAsNonRoot, true)
    assert.equal(pod.automountServiceAccountToken, false)
    const budget = named(manifests, 'PodDisruptionBudget', metadata.name)
    assert.ok(isSelected(budget.spec.selector.matchLabels, spec.template.metadata.labels))
    assert.equal(pod.topologySpreadConstraints.length, 1)
  }
})

test('dispatch and deliver scale with their queue per replica, and the API with its CPU', (t) => {
  const manifests = render(t, EVERYTHING)
  if (manifests === null) return
  const scaled = ofKind(manifests, 'HorizontalPodAutoscaler').map(({ spec }) => {
    const { name } = spec.scaleTargetRef
    assert.equal(named(manifests, 'Deployment', name).spec.replicas, undefined)
    const [{ type, external, resource }] = spec.metrics
    return [name, type, external?.metric.name ?? resource.name, external?.target]
  })
  const each = (averageValue: string) => ({ type: 'AverageValue', averageValue })
  assert.deepEqual(scaled, [
    ['prod-longcode-api', 'Resource', 'cpu', undefined],
    ['prod-longcode-deliver', 'External', 'longcode_webhook_queue_waiting', each('2000')],
    ['prod-longcode-dispatch', 'External', 'longcode_queue_waiting', each('5000')],
  ])
})

test('migrations run before pods change, with a separate secret', (t) => {
  const manifests = render(t, MINIMAL)
  if (manifests === null) return
  const [job] = ofKind(manifests, 'Job')
  assert.equal(job!.metadata.annotations['helm.sh/hook'], 'pre-install,pre-upgrade')
  const [container] = job!.spec.template.spec.containers
  assert.deepEqual(container.command, ['longcode', 'migrate'])
  const secret = named(manifests, 'Secret', container.envFrom[0].secretRef.name)
  assert.equal(secret.metadata.annotations['helm.sh/hook'], 'pre-install,pre-upgrade')
  const weights = [secret, job!].map((one) =>
    Number(one.metadata.annotations['helm.sh/hook-weight']),
  )
  assert.ok(weights[0]! < weights[1]!)
  const other = render(t, ONE_DEPLOYMENT)!
  assert.deepEqual(ofKind(other, 'Secret'), [], 'an existing secret is used everywhere')
})

test('services, network policies, and the monitor select pods and ports that exist', (t) => {
  const manifests = render(t, EVERYTHING)
  if (manifests === null) return
  const pods = ofKind(manifests, 'Deployment').map(({ spec }) => spec.template)
  for (const { metadata, spec } of ofKind(manifests, 'Service')) {
    const selected = pods.filter((pod) => isSelected(spec.selector, pod.metadata.labels))
    assert.ok(selected.length > 0, metadata.name)
    for (const { spec: pod } of selected) {
      const ports = pod.containers[0].ports.map(({ name }: Manifest) => name)
      for (const { targetPort } of spec.ports) assert.ok(ports.includes(targetPort), targetPort)
    }
  }
  for (const { metadata, spec } of ofKind(manifests, 'NetworkPolicy')) {
    const isMeant = (pod: Manifest) => isSelected(spec.podSelector.matchLabels, pod.metadata.labels)
    assert.ok(pods.some(isMeant), metadata.name)
  }
  const monitor = named(manifests, 'ServiceMonitor', 'prod-longcode').spec
  const watched = ofKind(manifests, 'Service').filter(({ metadata }) =>
    isSelected(monitor.selector.matchLabels, metadata.labels),
  )
  assert.deepEqual(
    watched.map(({ metadata }) => metadata.name),
    ['prod-longcode-metrics'],
  )
  assert.equal(watched[0]!.metadata.labels[monitor.jobLabel], 'longcode', 'the job of the rules')
  const { name, key } = monitor.endpoints[0].authorization.credentials
  assert.ok(named(manifests, 'Secret', name).stringData[key])
})

test('rules and dashboards of the chart are those of ops', (t) => {
  for (const file of ['alert-rules.yaml', 'slo-rules.yaml']) {
    const text = readFileSync(`ops/${file}`, 'utf8')
    assert.equal(readFileSync(`${CHART}/files/${file}`, 'utf8'), text, `copy ops/${file}`)
  }
  const dashboards = readdirSync('ops/dashboards')
  assert.deepEqual(readdirSync(`${CHART}/files/dashboards`), dashboards)
  for (const file of dashboards) {
    const text = readFileSync(`ops/dashboards/${file}`, 'utf8')
    assert.equal(readFileSync(`${CHART}/files/dashboards/${file}`, 'utf8'), text, file)
  }
  const manifests = render(t, EVERYTHING)
  if (manifests === null) return
  const rules = named(manifests, 'PrometheusRule', 'prod-longcode-alert-rules')
  assert.deepEqual(rules.spec, parse(readFileSync('ops/alert-rules.yaml', 'utf8')))
  const map = named(manifests, 'ConfigMap', 'prod-longcode-dashboard-money')
  const shown = JSON.parse(map.data['longcode-money.json'])
  assert.equal(shown.title, 'Longcode: money')
})

test('every setting that the chart sets exists', (t) => {
  const manifests = render(t, EVERYTHING)
  if (manifests === null) return
  const settings = readFileSync('.env.example', 'utf8')
  for (const { spec } of ofKind(manifests, 'Deployment')) {
    for (const { name } of spec.template.spec.containers[0].env) {
      assert.ok(settings.includes(`# ${name}=`), name)
    }
  }
})

test('the chart installs the version of the program', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const { appVersion } = parse(readFileSync(`${CHART}/Chart.yaml`, 'utf8'))
  assert.equal(appVersion, version, `set appVersion in ${CHART}/Chart.yaml`)
})

test('without an address or a database, the chart asks for it', (t) => {
  const command = findRenderer(t)
  if (command === null) return
  const refused = (values: object) => runRenderer(command, values).stderr
  assert.match(refused({ secret: MINIMAL.secret }), /Set publicUrl/)
  assert.match(refused({ publicUrl: MINIMAL.publicUrl }), /Set secret\.databaseUrl/)
})

test('the schema accepts these values, refuses misspelled ones, and knows every value', () => {
  const schema = JSON.parse(readFileSync(`${CHART}/values.schema.json`, 'utf8'))
  // Draft 7, which Helm reads. This validator knows its words too.
  const validate = new Ajv2020({ strict: false }).compile({ ...schema, $schema: undefined })
  const isValid = (values: object): boolean => validate(values)
  const defaults = parse(readFileSync(`${CHART}/values.yaml`, 'utf8')) as Manifest
  assert.ok(isValid(defaults), JSON.stringify(validate.errors))
  assert.ok(!isValid({ ...defaults, publicURL: '' }))
  assert.ok(!isValid({ ...defaults, deployments: { api: { roles: ['web'] } } }))
  assert.ok(!isValid({ ...defaults, settings: { 'longcode-mode': 'x' } }))
  const known = Object.keys(schema.properties).filter((name) => name !== 'global')
  assert.deepEqual(Object.keys(defaults).sort(), known.sort())
  const page = readFileSync('docs/kubernetes.md', 'utf8')
  for (const name of known) assert.ok(page.includes(`| \`${name}`), `docs/kubernetes.md: ${name}`)
})
