// Checks manifests against the types of Kubernetes with the TypeScript compiler: each becomes an object literal of its
// kind's type. Kinds of the Prometheus Operator have no package, so their fields that we use are described here.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

// biome-ignore lint/suspicious/noExplicitAny: of any kind, checked below
export type Manifest = any

const PROLOGUE = `
import type * as apps from 'kubernetes-types/apps/v1'
import type * as autoscaling from 'kubernetes-types/autoscaling/v2'
import type * as batch from 'kubernetes-types/batch/v1'
import type * as core from 'kubernetes-types/core/v1'
import type * as meta from 'kubernetes-types/meta/v1'
import type * as networking from 'kubernetes-types/networking/v1'
import type * as policy from 'kubernetes-types/policy/v1'
interface ServiceMonitor {
  apiVersion: string; kind: string; metadata: meta.ObjectMeta
  spec: { jobLabel: string; selector: meta.LabelSelector; endpoints: { port: string; path: string; interval: string
    authorization: { type: string; credentials: core.SecretKeySelector } }[] }
}
interface PrometheusRule {
  apiVersion: string; kind: string; metadata: meta.ObjectMeta
  spec: { groups: { name: string; rules: ({ alert: string } | { record: string })[] }[] }
}
`

const TYPES: Readonly<Record<string, string>> = {
  'apps/v1 Deployment': 'apps.Deployment',
  'autoscaling/v2 HorizontalPodAutoscaler': 'autoscaling.HorizontalPodAutoscaler',
  'batch/v1 Job': 'batch.Job',
  'v1 ConfigMap': 'core.ConfigMap',
  'v1 Secret': 'core.Secret',
  'v1 Service': 'core.Service',
  'networking.k8s.io/v1 Ingress': 'networking.Ingress',
  'networking.k8s.io/v1 NetworkPolicy': 'networking.NetworkPolicy',
  'policy/v1 PodDisruptionBudget': 'policy.PodDisruptionBudget',
  'monitoring.coreos.com/v1 ServiceMonitor': 'ServiceMonitor',
  'monitoring.coreos.com/v1 PrometheusRule': 'PrometheusRule',
}

/** One line for each problem. */
export function typeErrors(manifests: readonly Manifest[]): string[] {
  const unknown: string[] = []
  const lines = manifests.map((manifest, i) => {
    const kind = `${manifest.apiVersion} ${manifest.kind}`
    const type = TYPES[kind]
    if (type === undefined) unknown.push(`unknown kind: ${kind}`)
    return `export const m${i}: ${type ?? 'never'} = ${literal(manifest)}`
  })
  return [...unknown, ...compile(`${PROLOGUE}${lines.join('\n')}\n`)]
}

/** The rules' own fields are Prometheus's business (rules.test.ts). */
function literal(manifest: Manifest): string {
  if (manifest.kind !== 'PrometheusRule') return JSON.stringify(manifest)
  return `JSON.parse(${JSON.stringify(JSON.stringify(manifest))})`
}

function compile(text: string): string[] {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-manifests-'))
  try {
    const file = path.join(folder, 'manifests.ts')
    writeFileSync(file, text)
    const paths = { 'kubernetes-types/*': [path.resolve('node_modules/kubernetes-types/*')] }
    const options = { strict: true, noEmit: true, skipLibCheck: true, types: [], paths }
    const kind = { target: 'es2022', module: 'esnext', moduleResolution: 'bundler' }
    const config = path.join(folder, 'tsconfig.json')
    const compilerOptions = { ...options, ...kind }
    writeFileSync(config, JSON.stringify({ compilerOptions, files: [file] }))
    const tsc = path.resolve('node_modules/typescript/bin/tsc')
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', config], { encoding: 'utf8' })
    return stdout.split('\n').filter((line) => line.trim() !== '')
  } finally {
    rmSync(folder, { recursive: true })
  }
}
