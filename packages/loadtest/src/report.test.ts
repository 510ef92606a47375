import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { Report } from './report.ts'

test('overBudget returns the figures that exceed their budget by more than a third', () => {
  const report = new Report()
  report.record('at the limit', 4, 'ms', { floor: 1, budget: 3 })
  report.record('above', 4.1, 'ms', { floor: 1, budget: 3 })
  report.record('without a budget', 400, 'ms', { floor: 1 })
  expect(report.overBudget()).toEqual([{ name: 'above', value: 4.1, unit: 'ms', floor: 1, ratio: 4.1, budget: 3 }])
})

test('write stores all figures as JSON, a CPU time with the part of each process', () => {
  const dir = mkdtempSync(join(tmpdir(), 'parley-report-'))
  const file = join(dir, 'figures.json')
  try {
    const report = new Report()
    report.recordCpu(
      'call',
      { ms: 0.3, processes: { gateway: 0.123456, postgres: 0.176544 } },
      { floor: 0.1, budget: 1 },
    )
    report.record('rate', 5, '1/s')
    report.write(file)
    const processes = { gateway: 0.1235, postgres: 0.1765 }
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual([
      { name: 'call', value: 0.3, unit: 'ms', floor: 0.1, ratio: 3, budget: 1, processes },
      { name: 'rate', value: 5, unit: '1/s', floor: null, ratio: null, budget: null },
    ])
  } finally {
    rmSync(dir, { recursive: true })
  }
})
