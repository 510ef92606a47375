import { spawn } from 'node:child_process'

/** A call of ffmpeg or ffprobe. */
export type ToolCall = {
  program: string
  args: readonly string[]
  /** Working directory; file names have no folder. */
  folder: string
  /** Ends the program and its children. */
  signal: AbortSignal
  limits: ToolLimits
  /** System user that runs it, who must be able to write to the folder. Default: the user of this process. */
  userId?: number | undefined
}

/** Resource limits of one call. */
export type ToolLimits = { cpuSeconds: number; fileBytes: number; memoryBytes: number }

/** How a program ended: `killed` names a signal sent by somebody else. */
export type ToolResult = { code: number | null; killed: NodeJS.Signals | null; output: string; complaint: string }

const maxOutputBytes = 1024 ** 2
const maxErrorBytes = 4096

/** Limits that the program cannot lift, and a lower CPU priority than this process. */
const limitScript = ({ cpuSeconds, fileBytes, memoryBytes }: ToolLimits): string =>
  [
    'ulimit -c 0',
    `ulimit -t ${Math.ceil(cpuSeconds)}`,
    `ulimit -f ${Math.ceil(fileBytes / 512)}`,
    // Not every system can limit memory.
    `ulimit -v ${Math.floor(memoryBytes / 1024)} 2>/dev/null || true`,
    'exec nice -n 10 "$@"',
  ].join('; ')

/** Runs a program without input, with limits, in its own process group. Rejects with the signal's reason. */
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
    const end = () => endGroup(child.pid)
    signal.addEventListener('abort', end, { once: true })
    let output = ''
    let complaint = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.length > maxOutputBytes) end()
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-maxErrorBytes)
    })
    child.once('error', reject)
    child.once('close', (code, killed) => {
      signal.removeEventListener('abort', end)
      // Ends child processes that the program may have left.
      end()
      if (signal.aborted) return reject(signal.reason as Error)
      if (output.length > maxOutputBytes)
        return resolve({ code: 1, killed: null, output: '', complaint: 'it says too much' })
      resolve({ code, killed, output, complaint })
    })
  })
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The program has ended.
  }
}
