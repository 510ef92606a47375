import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { inWorkspace, runSteps, tool, turbo } from './steps.mjs'

const cache = 'node_modules/.cache'
const tooling = 'packages/tooling'
const toolModules = `${tooling}/node_modules`

function steps({ quick = false } = {}) {
  const contracts = JSON.parse(readFileSync(inWorkspace('packages/contracts/package.json'), 'utf8'))
  const contractSteps = ['lint', 'breaking']
    .filter((script) => contracts.scripts[script])
    .map((script) => ({
      name: `contract ${script}`,
      command: 'pnpm',
      args: ['-C', 'packages/contracts', 'run', script],
    }))
  const cruised = ['packages', 'services'].flatMap((kind) =>
    readdirSync(inWorkspace(kind)).flatMap((name) => [`${kind}/${name}/src`, `${kind}/${name}/test`]),
  )
  // The longest checks come first, so that both workers end at about the same time.
  return [
    tool('lint', 'node_modules/oxlint/bin/oxlint'),
    {
      ...{ name: 'lint of the web client', command: 'pnpm', args: ['-C', 'packages/web', 'run', 'lint'] },
      env: quick ? { ESLINT_WITHOUT_TYPES: '1' } : {},
    },
    tool(
      'import rules',
      `${toolModules}/dependency-cruiser/bin/dependency-cruise.mjs`,
      ...['--config', `${tooling}/dependency-cruiser.cjs`, ...cruised.filter(isFolder)],
    ),
    tool(
      'types',
      'node_modules/typescript/bin/tsc',
      ...['--noEmit', '--pretty', 'false', '--checkers', '1', '-p', `${tooling}/tsconfig.workspace.json`],
      ...['--incremental', '--tsBuildInfoFile', `${cache}/tsc/workspace.tsbuildinfo`],
    ),
    tool('deploy', `${tooling}/check-deploy.mjs`),
    tool(
      'unused code',
      `${toolModules}/knip/bin/knip.js`,
      '--config',
      `${tooling}/knip.config.js`,
      '--no-progress',
      '--no-config-hints',
    ),
    { name: 'types of the web client', command: 'pnpm', args: ['-C', 'packages/web', 'run', 'typecheck'] },
    tool('format', 'node_modules/oxfmt/bin/oxfmt', '--list-different'),
    tool('files generated from the manifest', `${tooling}/deployables.mjs`, '--check'),
    tool('migrations', `${tooling}/check-migrations.mjs`),
    tool('folders table', `${tooling}/folders-table.mjs`, '--check'),
    tool('catalogue of metrics', `${tooling}/metrics-table.mjs`, '--check'),
    tool('dashboards', `${tooling}/dashboards.mjs`, '--check'),
    tool('settings tables', `${tooling}/config-table.mjs`, '--check'),
    ...contractSteps,
  ]
}

const isFolder = (path) => existsSync(inWorkspace(path))

/**
 * Runs every check that needs no running server. Returns the names of the failed checks. `quick` leaves out those
 * lint rules of the web client that need types.
 */
export async function verify({ quick, ...options } = {}) {
  const failed = await runSteps([turbo('generate')], options)
  return failed.length > 0 ? failed : runSteps(steps({ quick }), options)
}

if (process.argv[1] === import.meta.filename) {
  const failed = await verify()
  if (failed.length > 0) console.log(`\nfailed: ${failed.join(', ')}`)
  process.exitCode = failed.length > 0 ? 1 : 0
}
