import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { deployableNames } from '../../contracts/src/deployables.ts'

const cwd = fileURLToPath(new URL('../../..', import.meta.url))
const program = ['otelcol-contrib', 'otelcol'].find((name) => spawnSync(name, ['--version']).status === 0)
if (program === undefined)
  console.log('collector: otelcol-contrib is not on PATH, so only the structure of deploy/collector is checked')
const withCollector = program === undefined ? test.skip : test

const files = ['sampling', 'router']
const kinds = ['receivers', 'processors', 'exporters']
const read = (name) => parse(readFileSync(`${cwd}/deploy/collector/${name}.yaml`, 'utf8'))

withCollector.each(files)('the Collector accepts %s.yaml', (name) => {
  const env = { ...process.env, SAMPLERS: 'localhost' }
  const config = `deploy/collector/${name}.yaml`
  const { status, stderr } = spawnSync(program ?? '', ['validate', '--config', config], { cwd, env })
  expect([status, stderr.toString()]).toEqual([0, ''])
})

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

  test('names services of the fleet', () => {
    const named = policies
      .flatMap(({ and }) => and?.and_sub_policy ?? [])
      .flatMap(({ string_attribute: of }) => (of?.key === 'service.name' ? of.values : []))
    expect(named.filter((service) => ![...deployableNames, 'compact'].includes(service))).toEqual([])
    // The gateway's requests, in both layouts.
    expect(named).toEqual(expect.arrayContaining(['gateway', 'compact']))
  })

  test('gets all spans of a trace, also behind the router', () => {
    expect(read('router').exporters.loadbalancing.routing_key).toBe('traceID')
  })
})
