/**
 * `pnpm dev` restarts a service when its sources change. A service that fails to build keeps running unchanged.
 * `--seed` fills the server with sample people and rooms; `--open` opens it in a browser.
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { endBecauseOf } from '../local/bootstrap/console.mjs'
import { build } from '../local/bootstrap/packages.mjs'
import { followSources } from './follow-sources.mjs'
import { inWorkspace } from './steps.mjs'

const args = process.argv.slice(2)
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`
/** Time of the edit, by the name of the service that is being restarted. */
const edits = new Map()

if (!args.includes('--help')) await build().catch(endBecauseOf)
const fleet = spawn(process.execPath, [inWorkspace('packages/local/dist/main.js'), ...args], {
  cwd: process.cwd(),
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
})
// Ctrl-C reaches the whole process group: the fleet ends first, then this process.
process.on('SIGINT', () => undefined)
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => fleet.kill(signal))
fleet.on('exit', (code) => process.exit(code ?? 1))
fleet.on('message', ({ ready, restarted }) => {
  if (ready) void follow()
  if (restarted) {
    console.log(`${restarted}: is serving again ${seconds(performance.now() - edits.get(restarted))} after the edit`)
  }
})

function sourceFolders(kind) {
  return readdirSync(inWorkspace(kind))
    .map((name) => inWorkspace(`${kind}/${name}/src`))
    .filter((folder) => existsSync(folder))
}

async function follow() {
  if (args.includes('--seed'))
    spawn(process.execPath, [inWorkspace('packages/cli/dist/main.js'), 'demo', 'create'], { stdio: 'inherit' })
  const folders =
    process.env.PARLEY_LAYOUT === 'compact'
      ? ['services/realtime', 'packages/compact']
      : readdirSync(inWorkspace('services')).map((name) => `services/${name}`)
  await followSources({
    folders: folders.map((folder) => inWorkspace(folder)),
    sources: ['packages', 'services'].flatMap(sourceFolders),
    onBuilt(name, ms) {
      console.log(`${name}: built in ${seconds(ms)}`)
      edits.set(name, performance.now() - ms)
      fleet.send({ restart: name })
    },
    onBroken: (name, why) => console.log(`${why}\n${name}: build failed; the running version continues`),
  })
  console.log(`following the sources of ${folders.join(', ')}`)
}
