import { glob } from 'node:fs/promises'
import { register } from 'tsx/esm/api'
import { inWorkspace } from './steps.mjs'

/**
 * Every metric that the code declares, with its owner (`rpc`, `messaging`, ...) and its name in Prometheus, and the
 * labels that metrics may have. Those of every process are declared in packages/telemetry, all others in files named
 * `metrics.ts`.
 */
export async function declaredMetrics() {
  register()
  const telemetry = await import(inWorkspace('packages/telemetry/src/index.ts'))
  const { declarations, labels, prometheusLabel, prometheusName } = telemetry
  const metrics = []
  const add = (owner, declared) => {
    for (const declaration of declared) {
      const base = prometheusName(declaration.name, declaration.unit)
      const prometheus = declaration.kind === 'counter' && !base.endsWith('_total') ? `${base}_total` : base
      metrics.push({ ...declaration, owner, prometheus })
    }
  }
  add('every process', declarations())
  for (const file of await files()) {
    const before = declarations().length
    await import(inWorkspace(file))
    add(file.split('/')[1], declarations().slice(before))
  }
  return {
    metrics,
    labels: Object.entries(labels).map(([name, label]) => ({ name, prometheus: prometheusLabel(name), ...label })),
  }
}

async function files() {
  const found = []
  for await (const file of glob('{packages,services}/*/src/**/metrics.ts', { cwd: inWorkspace('.') })) found.push(file)
  return found.toSorted()
}

export const seriesOf = ({ kind, prometheus }) =>
  kind === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => prometheus + end) : [prometheus]
