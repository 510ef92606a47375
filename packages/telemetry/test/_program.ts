import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const packageFolder = fileURLToPath(new URL('..', import.meta.url))

/** Runs a program of `programs/` from source; returns the log lines that it wrote. */
export async function runProgram(name: string, env: NodeJS.ProcessEnv): Promise<Record<string, unknown>[]> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: _, PARLEY_GENERAL_LOG_LEVEL: __, ...inherited } = process.env
  const child = spawn(
    process.execPath,
    ['--import', import.meta.resolve('@parley/tooling/run-bundled'), `test/programs/${name}.ts`],
    {
      cwd: packageFolder,
      env: { ...inherited, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (child.exitCode !== 0) throw new Error(`${name} ended with ${child.exitCode}: ${output}`)
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}
