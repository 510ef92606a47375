/**
 * Long tests run only with `--all`. If at most three test files of a whole run fail, each runs once more by itself; a
 * file that then passes is listed as unsteady and counts as passed. A check that fails and a test file that cannot run
 * count as one failure each.
 */
import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import { runSteps, turbo, workspace } from './steps.mjs'
import { firstError, hasFailed, outcomeOf } from './testing/outcome.mjs'
import { Progress } from './testing/progress.mjs'
import { runSuites } from './testing/run-suites.mjs'
import { verify } from './verify.mjs'

const help = `pnpm test [--all] [--name <pattern>] [--filter <pattern>] [--no-verify] [<path>...]

Without arguments: all checks (pnpm verify), unit and behaviour tests, end-to-end tests.
  <path>, --filter <pattern>  only test files whose path matches; the checks are left out
  --name <pattern>            only tests whose name matches; the checks are left out
  --no-verify                 all tests, without the checks
  --all                       also what takes long: *.long.test.ts, more repetitions in other tests, the end-to-end
                              tests on the compact layout, and the lint rules of web components that need types
  --help                      this text
PARLEY_LAYOUT=compact runs end-to-end tests on the compact layout.
To use your own servers instead of private ones: PARLEY_TEST_POSTGRES_URL, PARLEY_TEST_NATS_URL, PARLEY_TEST_REDIS_URL.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    filter: { type: 'string', multiple: true, default: [] },
    name: { type: 'string' },
    'no-verify': { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
})
if (values.help) {
  console.log(help)
  process.exit()
}
if (values.all) process.env.PARLEY_TEST_LONG = '1'

const paths = [...positionals, ...values.filter]
const isPartial = paths.length > 0 || values.name !== undefined
const began = performance.now()
const progress = new Progress()
const endToEnd = { config: 'packages/tooling/jest.e2e.config.mjs', args: ['--runInBand'] }
/** The suites of a group run in parallel. The end-to-end tests share one fleet, so they run in one process. */
const groups = [[{ config: 'packages/tooling/jest.config.mjs', args: ['--maxWorkers=3'] }, endToEnd]]
/** Browser tests are left out here, because the web client cannot tell the layouts apart. */
const compact = { ...endToEnd, args: [...endToEnd.args, '--testPathIgnorePatterns', '/web-'] }
if (values.all && !isPartial) groups.push([{ ...compact, env: { PARLEY_LAYOUT: 'compact' } }])

const failedSteps = await runSteps([turbo('build')])
const failedChecks = isPartial || values['no-verify'] ? [] : await verify({ quick: !values.all })
const options = {
  once: isPartial,
  args: [
    ...paths,
    ...(values.name === undefined ? [] : ['--testNamePattern', values.name]),
    // Last, because jest takes every argument after it as a reporter.
    ...(isPartial ? ['--reporters', 'default'] : []),
  ],
  onTotal: (total) => progress.expect(total),
  onFile: show,
  // When only some files run, jest itself shows the progress.
  onErrorLine: isPartial ? undefined : (line) => progress.say(line),
  onAgain: ({ path }) => progress.say(`again: ${relative(workspace, path)}`),
}
const outcomes = []
for (const suites of groups) {
  const { files, again, broken } = await runSuites(suites, options)
  outcomes.push({ broken, ...outcomeOf(files, again) })
}
progress.finish()

const sum = (count) => outcomes.reduce((total, outcome) => total + outcome[count], 0)
const passed = sum('passed')
const skipped = outcomes.flatMap((outcome) => outcome.skipped)
const unsteady = outcomes.flatMap((outcome) => outcome.unsteady)
for (const name of values.name === undefined ? skipped : []) console.log(`skipped: ${name}`)
for (const file of unsteady) {
  console.log(`unsteady: ${relative(workspace, file.path)} passed when it ran again; at first: ${firstError(file)}`)
}
const failed = sum('failed') + sum('broken') + failedSteps.length + failedChecks.length
const ran = passed + failed + skipped.length
if (ran === 0) console.log('no test matches')
console.log(`took ${((performance.now() - began) / 60_000).toFixed(1)} min`)
console.log(`${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`)
process.exitCode = failed > 0 || ran === 0 ? 1 : 0

/** When only some files run, jest prints output and failures itself. */
function show(file, isFirst) {
  if (isFirst) progress.recordEnd(file, hasFailed(file))
  if (isPartial) return
  const name = relative(workspace, file.path)
  for (const text of file.printed) progress.say(`${name}: ${text}`)
  if (hasFailed(file)) progress.say(`FAILED ${name}\n${file.failure ?? ''}`)
}
