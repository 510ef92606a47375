import { spawn } from 'node:child_process'

export type ToolCall = {
  program: string
  args: readonly string[]
  folder: string
  signal: AbortSignal
  limits: ToolLimits
  /** System user that runs the program and must be able to write to the folder. Default: the user of this process. */
  userId?: number | undefined
}

export type ToolLimits = { cpuSeconds: number; fileBytes: number; memoryBytes: number }

/** `killed`: the signal that ended the program, unless this process sent it. */
export type ToolResult = { code: number | null; killed: NodeJS.Signals | null; output: string; errorOutput: string }

const maxOutputLength = 1024 ** 2
const maxErrorLength = 4096

/**
 * Time in which a program can end itself after SIGXCPU; ffmpeg handles that signal. Then the kernel sends SIGKILL, as
 * it does when memory runs out.
 */
const cpuGraceSeconds = 5

const limitScript = ({ cpuSeconds, fileBytes, memoryBytes }: ToolLimits): string =>
  [
    'ulimit -c 0',
    `ulimit -S -t ${Math.ceil(cpuSeconds)}`,
    `ulimit -H -t ${Math.ceil(cpuSeconds) + cpuGraceSeconds}`,
    `ulimit -f ${Math.ceil(fileBytes / 512)}`,
    `ulimit -v ${Math.floor(memoryBytes / 1024)} 2>/dev/null || true`,
    'exec nice -n 10 "$@"',
  ].join('; ')

/**
 * The program runs without input, in a process group of its own. Rejects when `signal` is aborted, or if no process can
 * be started in the folder as this user.
 */
export function runTool({ program, args, folder, signal, limits, userId }: ToolCall): Promise<ToolResult> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const child = spawn('/bin/sh', ['-c', limitScript(limits), 'sh', program, ...args], {
      cwd: folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], LC_ALL: 'C', HOME: folder },
      ...(userId !== undefined && { uid: userId, gid: userId }),
    })
    const kill = () => killGroup(child.pid)
    signal.addEventListener('abort', kill, { once: true })
    let output = ''
    let errorOutput = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.length > maxOutputLength) kill()
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errorOutput = (errorOutput + text).slice(-maxErrorLength)
    })
    child.once('error', reject)
    child.once('close', (code, killed) => {
      signal.removeEventListener('abort', kill)
      kill()
      if (signal.aborted) return reject(signal.reason as Error)
      if (output.length > maxOutputLength)
        return resolve({ code: 1, killed: null, output: '', errorOutput: 'too much output' })
      resolve({ code, killed, output, errorOutput })
    })
  })
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {}
}
