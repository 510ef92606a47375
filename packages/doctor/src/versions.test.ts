import { expect, test } from '@jest/globals'
import { reportTo, type Finding } from './finding.ts'
import { isAtLeast, reportVersion } from './versions.ts'

test.each([
  ['17.4', '14', true],
  ['14', '14', true],
  ['13.22', '14', false],
  ['2.10.29', '2.9', true],
  ['2.9.0-beta.1', '2.9', true],
  ['2.8.4', '2.9', false],
  ['1.99', '2.9', false],
  ['7.0.15', '6', true],
  ['unknown', '6', false],
])('%s is at least %s: %s', (version, oldest, expected) => {
  expect(isAtLeast(version, oldest)).toBe(expected)
})

test('a server that is too old is reported with the oldest supported release', () => {
  const findings: Finding[] = []
  reportVersion(reportTo(findings), 'postgres.version', 'PostgreSQL', '13.22')
  expect(findings).toEqual([
    {
      ...{ check: 'postgres.version', result: 'fail', found: 'PostgreSQL 13.22 is too old' },
      next: 'Upgrade it to 14 or newer.',
    },
  ])
})
