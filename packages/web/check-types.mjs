/**
 * Checks the types of the web client with svelte-check; a flag makes it use the compiler of TypeScript 7. With that
 * flag, svelte-check also reports errors in node_modules, which are ignored here.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(import.meta.resolve('svelte-check/bin/svelte-check'))
const args = ['--tsconfig', './tsconfig.json', '--tsgo-experimental-api', '--output', 'machine-verbose']
const { stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
  cwd: import.meta.dirname,
  encoding: 'utf8',
  maxBuffer: 2 ** 26,
})

const lines = stdout.split('\n').map((line) => line.replace(/^\d+ /, ''))
const problems = lines
  .filter((line) => line.startsWith('{'))
  .map((line) => JSON.parse(line))
  .filter(({ filename }) => !filename.includes('node_modules/'))
for (const { type, filename, start, message } of problems) {
  console.log(`${filename}:${start.line + 1}:${start.character + 1} ${type}: ${message}`)
}
const completed = lines.some((line) => line.startsWith('COMPLETED '))
if (!completed) console.log(`${stdout}${stderr}`)
process.exitCode = completed && problems.length === 0 ? 0 : 1
