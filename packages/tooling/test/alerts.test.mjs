import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { dashboards } from '../deploy/dashboards/index.mjs'
import { fillVariables } from '../deploy/grafana.mjs'

const cwd = fileURLToPath(new URL('../../..', import.meta.url))
const isThere = spawnSync('promtool', ['--version']).status === 0
if (!isThere) console.log('alerts: skipped: promtool (package prometheus) is not on PATH')
const withPromtool = isThere ? test : test.skip

withPromtool.each(['alerts', 'objectives'])('the tests of the alerts in %s pass', (name) => {
  const printed = execFileSync('promtool', ['test', 'rules', `deploy/prometheus/${name}.test.yaml`], { cwd })
  expect(printed.toString()).toContain('SUCCESS')
})

test('each alert has a test', () => {
  const named = (file, key) =>
    readFileSync(join(cwd, file), 'utf8').matchAll(new RegExp(`\\b${key}: (Parley\\w+)`, 'g'))
  for (const name of ['alerts', 'objectives']) {
    const tested = Array.from(named(`deploy/prometheus/${name}.test.yaml`, 'alertname'), ([, alert]) => alert)
    const alerts = Array.from(named(`helm/parley/files/${name}.yaml`, 'alert'), ([, alert]) => alert)
    expect(alerts.filter((alert) => !tested.includes(alert))).toEqual([])
  }
})

test('the mails in the tests of the alerts are of kinds that accounts sends', () => {
  const declared = readFileSync(join(cwd, 'services/accounts/src/engines/mail/mail.ts'), 'utf8')
  const tests = readFileSync(join(cwd, 'deploy/prometheus/alerts.test.yaml'), 'utf8')
  const kinds = Array.from(tests.matchAll(/parley_accounts_mails_total\{parley_kind="(\w+)"/g), ([, kind]) => kind)
  expect(kinds).toContain('password_reset')
  expect(kinds.filter((kind) => !declared.includes(`'${kind}'`))).toEqual([])
})

withPromtool('Prometheus can parse every query of the dashboards', () => {
  const rules = dashboards.flatMap(({ name, panels }) =>
    panels.flatMap(({ queries }, panel) =>
      queries.map(([query], n) => ({
        record: `${name}:panel${panel}:query${n}`,
        expr: fillVariables(query),
      })),
    ),
  )
  const groups = [{ name: 'dashboards', rules }]
  const file = join(mkdtempSync(join(tmpdir(), 'parley-queries-')), 'rules.json')
  writeFileSync(file, JSON.stringify({ groups }))
  const { status, stderr } = spawnSync('promtool', ['check', 'rules', file])
  rmSync(dirname(file), { recursive: true })
  expect([status, stderr.toString()]).toEqual([0, ''])
})
