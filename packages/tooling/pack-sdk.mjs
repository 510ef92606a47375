import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { inWorkspace } from './steps.mjs'

const [folder] = process.argv.slice(2)
if (folder === undefined || folder.startsWith('-')) {
  console.log('pnpm pack:sdk <folder>   (the packages are written there)')
  process.exit(folder === '--help' ? 0 : 2)
}
mkdirSync(folder, { recursive: true })
for (const name of ['contracts', 'client']) {
  const args = ['-C', inWorkspace(`packages/${name}`), 'pack', '--pack-destination', resolve(folder)]
  const { status } = spawnSync('pnpm', args, { stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}
