/**
 * `pnpm test`: all checks, then all tests, with private PostgreSQL, NATS and Redis servers. The last line is
 * `N passed, N failed` (and how many were skipped, if any); every check or test file that cannot run counts as failed.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { inWorkspace, runSteps, turbo, workspace } from './steps.mjs'
import { verify } from './verify.mjs'

const help = `pnpm test [--name <pattern>] [--filter <pattern>] [--no-verify] [<path>...]

Without arguments: all checks (pnpm verify), unit and behaviour tests, end-to-end tests.
  <path>, --filter <pattern>  only test files whose path matches; the checks are left out
  --name <pattern>            only tests whose name matches; the checks are left out
  --no-verify                 all tests, without the checks
  --help                      this text
Own servers instead of private ones: PARLEY_TEST_POSTGRES_URL, PARLEY_TEST_NATS_URL, PARLEY_TEST_REDIS_URL.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    filter: { type: 'string', multiple: true, default: [] },
    name: { type: 'string' },
    'no-verify': { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
})
if (values.help) {
  console.log(help)
  process.exit()
}

const paths = [...positionals, ...values.filter]
const partial = paths.length > 0 || values.name !== undefined
const total = { passed: 0, failed: 0, skipped: [] }

if (!partial && !values['no-verify']) total.failed += (await verify()).length
total.failed += (await runSteps([turbo('build')])).length
await runTests('jest.config.mjs', ['--maxWorkers=2'])
await runTests('jest.e2e.config.mjs', ['--runInBand'])

for (const name of total.skipped) console.log(`skipped: ${name}`)
const ran = total.passed + total.failed + total.skipped.length
if (ran === 0) console.log('no test matches')
console.log(
  `${total.passed} passed, ${total.failed} failed${total.skipped.length ? `, ${total.skipped.length} skipped` : ''}`,
)
process.exitCode = total.failed > 0 || ran === 0 ? 1 : 0

/** Runs jest once and adds what came of it to the total. */
async function runTests(config, args) {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
  const report = join(folder, 'report.json')
  try {
    const clean = await jest([
      ...['-c', inWorkspace(`packages/tooling/${config}`), '--json', '--outputFile', report, '--passWithNoTests'],
      ...(values.name === undefined ? [] : ['--testNamePattern', values.name]),
      ...args,
      ...paths,
    ])
    count(JSON.parse(await readFile(report, 'utf8').catch(() => 'null')), clean)
  } finally {
    await rm(folder, { recursive: true })
  }
}

function jest(args) {
  const program = inWorkspace('packages/tooling/node_modules/jest/bin/jest.js')
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--no-warnings', '--experimental-vm-modules', program, ...args], {
      cwd: workspace,
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    child.once('error', () => resolve(false))
    child.once('exit', (code) => resolve(code === 0))
  })
}

/** A test file that could not start, and a run that failed without a failed test, count as one failure each. */
function count(report, clean) {
  if (!report) {
    total.failed += clean ? 0 : 1
    return
  }
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults)
  const failures = report.numFailedTests + report.numRuntimeErrorTestSuites
  total.passed += report.numPassedTests
  total.failed += failures > 0 || clean ? failures : 1
  // With a name pattern, everything that does not match is pending: that is not news.
  if (values.name !== undefined) return
  const left = tests.filter(({ status }) => ['pending', 'skipped', 'todo', 'disabled'].includes(status))
  total.skipped.push(...left.map(({ fullName }) => fullName))
}
