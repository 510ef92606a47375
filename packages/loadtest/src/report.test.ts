import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { Report } from './report.ts'

test('a figure exceeds its budget when it is more than a third above it', () => {
  const report = new Report()
  report.note('just', 4, 'ms', { floor: 1, budget: 3 })
  report.note('above', 4.1, 'ms', { floor: 1, budget: 3 })
  report.note('free', 400, 'ms', { floor: 1 })
  expect(report.exceeded()).toEqual([{ name: 'above', value: 4.1, unit: 'ms', floor: 1, ratio: 4.1, budget: 3 }])
})

test('a CPU time is written with its floor, its budget and the part of each process', () => {
  const dir = mkdtempSync(join(tmpdir(), 'parley-report-'))
  const file = join(dir, 'figures.json')
  try {
    const report = new Report()
    report.noteCpu('call', { ms: 0.3, processes: { gateway: 0.123456, postgres: 0.176544 } }, { floor: 0.1, budget: 1 })
    report.note('rate', 5, '1/s')
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
