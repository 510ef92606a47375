import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { collectorProgram, hasComponents } from '../testing/collector.mjs'

const cwd = fileURLToPath(new URL('../../..', import.meta.url))
const files = ['sampling', 'router']
const kinds = ['receivers', 'processors', 'exporters']
const read = (name) => parse(readFileSync(`${cwd}/deploy/collector/${name}.yaml`, 'utf8'))

/** Components that each configuration uses but that some builds of the Collector lack. */
const special = { sampling: ['tail_sampling'], router: ['load_balancing'] }
test('a Collector whose --version fails is found', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-collector-'))
  try {
    await writeFile(join(folder, 'otelcol'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const script = `console.log((await import('./packages/tooling/testing/collector.mjs')).collectorProgram)`
    const args = ['--no-warnings', '--input-type=module', '-e', script]
    const found = spawnSync(process.execPath, args, { cwd, env: { PATH: `${folder}:/bin` }, encoding: 'utf8' })
    expect([found.stdout, found.stderr]).toEqual(['otelcol\n', ''])
  } finally {
    await rm(folder, { recursive: true })
  }
})

const accepted = files.filter((name) => hasComponents(...special[name]))
for (const name of files.filter((one) => !accepted.includes(one)))
  console.log(
    `collector: otelcol-contrib with ${special[name]} is not on PATH, so only the structure of ${name}.yaml is checked`,
  )

for (const name of files) {
  const check = accepted.includes(name) ? test : test.skip
  check(`the Collector accepts ${name}.yaml`, () => {
    const env = { ...process.env, SAMPLERS: 'localhost' }
    const config = `deploy/collector/${name}.yaml`
    const { status, stderr } = spawnSync(collectorProgram, ['validate', '--config', config], { cwd, env })
    expect([status, stderr.toString()]).toEqual([0, ''])
  })
}

describe.each(files)('%s.yaml', (name) => {
  const config = read(name)
  const pipelines = Object.entries(config.service.pipelines)

  test('handles every signal that the fleet sends', () => {
    expect(pipelines.map(([signal]) => signal).sort()).toEqual(['logs', 'metrics', 'traces'])
  })

  test('declares what its pipelines use, and uses what it declares', () => {
    for (const kind of kinds) {
      const used = new Set(pipelines.flatMap(([, pipeline]) => pipeline[kind] ?? []))
      expect([...used].sort()).toEqual(Object.keys(config[kind]).sort())
    }
    expect(config.service.extensions).toEqual(Object.keys(config.extensions))
  })

  test('limits its memory before anything else, and batches last', () => {
    for (const [, { processors }] of pipelines) {
      expect(processors[0]).toBe('memory_limiter')
      if (processors.includes('batch')) expect(processors.at(-1)).toBe('batch')
    }
  })
})

describe('sampling', () => {
  const { policies } = read('sampling').processors.tail_sampling
  const policy = (type) => policies.find((one) => one.type === type)

  test('keeps errors, slow traces and a share of the others', () => {
    expect(policy('status_code').status_code.status_codes).toEqual(['ERROR'])
    expect(policy('latency').latency.threshold_ms).toBe(1000)
    expect(policy('probabilistic').probabilistic.sampling_percentage).toBe(5)
  })

  test('does not depend on names of services, which OTEL_SERVICE_NAME changes', () => {
    expect(JSON.stringify(policies)).not.toContain('service.name')
  })

  test('gets all spans of a trace behind the router, which routes by trace id', () => {
    expect(read('router').exporters.loadbalancing.routing_key).toBe('traceID')
  })
})
