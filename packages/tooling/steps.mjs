import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const workspace = fileURLToPath(new URL('../..', import.meta.url))

export const inWorkspace = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Resolves with whether the command succeeded, the seconds that it took, and its output. */
export function runStep({ name, command, args, env }) {
  const began = performance.now()
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: workspace,
      env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = []
    child.stdout.on('data', (chunk) => output.push(chunk))
    child.stderr.on('data', (chunk) => output.push(chunk))
    const end = (ok) => {
      const seconds = (performance.now() - began) / 1000
      resolve({ name, ok, seconds, output: Buffer.concat(output).toString() })
    }
    child.once('error', (error) => {
      output.push(Buffer.from(String(error)))
      end(false)
    })
    child.once('close', (code) => end(code === 0))
  })
}

/** Prints the result of each step, and the output of each failed one. Returns the names of the failed steps. */
export async function runSteps(steps, { maxConcurrent = 2, say = console.log } = {}) {
  const waiting = [...steps]
  const failed = []
  const worker = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      const result = await runStep(step)
      say(`${result.ok ? 'ok    ' : 'FAILED'} ${result.name} (${result.seconds.toFixed(1)} s)`)
      if (result.ok) continue
      failed.push(result.name)
      say(result.output.trimEnd().replace(/^/gm, '       '))
    }
  }
  await Promise.all(Array.from({ length: maxConcurrent }, worker))
  return failed
}

export const turbo = (task) => ({
  name: task,
  command: inWorkspace('node_modules/.bin/turbo'),
  args: ['run', task, '--output-logs=errors-only'],
})

export const tool = (name, file, ...args) => ({ name, command: process.execPath, args: [inWorkspace(file), ...args] })
