import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { inWorkspace, workspace } from '../steps.mjs'

/**
 * `env` is added to the environment of this process. `onTotal` is called with the number of files, `onFile` with each
 * finished file (see reporter.mjs), and `onErrorLine` with each line of jest's standard error, which otherwise goes
 * to the standard error of this process. Resolves with all files, and whether jest exited with 0.
 */
export async function runJest({ config, args = [], env = {}, onTotal = () => {}, onFile = () => {}, onErrorLine }) {
  const program = inWorkspace('packages/tooling/node_modules/jest/bin/jest.js')
  const reporter = inWorkspace('packages/tooling/testing/reporter.mjs')
  const child = spawn(
    process.execPath,
    [
      // Jest keeps an async context per test; without this flag every promise gets slower with each file that ran
      // before.
      ...['--no-warnings', '--experimental-async-context-frame', program],
      ...['-c', inWorkspace(config), '--passWithNoTests'],
      // Jest exits once it has written all results and stopped all servers, even if a test left a handle open.
      ...['--forceExit', '--reporters', reporter, ...args],
    ],
    {
      cwd: workspace,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', onErrorLine ? 'pipe' : 'inherit', 'pipe'],
    },
  )
  const ended = new Promise((resolve) => {
    child.once('error', () => resolve(false))
    child.once('close', (code) => resolve(code === 0))
  })
  if (onErrorLine) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (!line.startsWith('Force exiting Jest') && line !== '') onErrorLine(line)
    })
  }
  const files = []
  for await (const line of createInterface({ input: child.stdio[3] })) {
    const { total, file } = JSON.parse(line)
    if (total !== undefined) onTotal(total)
    if (file === undefined) continue
    files.push(file)
    onFile(file)
  }
  return { files, clean: await ended }
}
