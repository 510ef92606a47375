import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { eventually } from '@parley/testkit'
import { runTool } from '../src/engines/video/run-tool.ts'

const folder = tmpdir()
const never = new AbortController().signal
const limits = { cpuSeconds: 10, fileBytes: 1024 ** 2, memoryBytes: 4 * 1024 ** 3 }
const sh = (script: string, signal = never) =>
  runTool({ program: '/bin/sh', args: ['-c', script], folder, signal, limits })
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('a program', () => {
  test('returns its output; it gets no input and none of our environment variables', async () => {
    process.env['PARLEY_UPLOADS_TEST_SECRET'] = 'secret'
    const result = await sh('cat; env; echo wrong >&2; exit 3')
    delete process.env['PARLEY_UPLOADS_TEST_SECRET']
    expect(result).toMatchObject({ code: 3, killed: null, errorOutput: 'wrong\n' })
    expect(result.output).toContain(`HOME=${folder}`)
    expect(result.output).not.toContain('PARLEY_')
  })

  test('reports the signal that killed it', async () => {
    expect(await sh('kill -9 $$')).toMatchObject({ code: null, killed: 'SIGKILL' })
  })

  test('that exceeds its CPU time is ended by SIGXCPU', async () => {
    const call = { program: '/bin/sh', args: ['-c', 'while :; do :; done'], folder, signal: never }
    expect(await runTool({ ...call, limits: { ...limits, cpuSeconds: 1 } })).toMatchObject({ killed: 'SIGXCPU' })
  })

  test('that ignores the signal at the end of its CPU time is killed some seconds later', async () => {
    const call = { program: '/bin/sh', args: ['-c', "trap '' XCPU; while :; do :; done"], folder, signal: never }
    expect(await runTool({ ...call, limits: { ...limits, cpuSeconds: 1 } })).toMatchObject({ killed: 'SIGKILL' })
  })

  test('that is missing is reported like a failing one', async () => {
    const call = { program: '/nowhere/ffmpeg', args: [], folder, signal: never, limits }
    expect((await runTool(call)).code).not.toBe(0)
  })

  test('is a direct child of this process, so that its end can be awaited', async () => {
    const result = await sh('grep PPid /proc/$$/status; echo $$')
    const [parent = '', pid = ''] = result.output.trim().split('\n')
    expect(parent.split('\t')).toEqual(['PPid:', String(process.pid)])
    expect(isRunning(Number(pid))).toBe(false)
  })

  test('is killed together with all its children when it is aborted', async () => {
    const stop = new AbortController()
    const pidFile = join(await mkdtemp(join(folder, 'parley-tool-')), 'pids')
    const running = expect(sh(`sleep 60 & echo $! $$ > ${pidFile}; wait`, stop.signal)).rejects.toBe('enough')
    try {
      const pids = await eventually(async () => {
        const pids = (await readFile(pidFile, 'utf8')).trim().split(' ').map(Number)
        return pids.length === 2 && pids
      })
      stop.abort('enough')
      await running
      await eventually(() => pids.every((pid) => !isRunning(pid)))
    } finally {
      stop.abort('enough')
      await rm(dirname(pidFile), { recursive: true })
    }
  })

  const asRoot = process.getuid?.() === 0 ? test : test.skip
  asRoot('cannot read the parent process when it runs as another user', async () => {
    const script = `id -u; id -G; cat /proc/${process.pid}/environ /proc/${process.pid}/mem; ls /proc/${process.pid}/fd`
    const call = { program: '/bin/sh', args: ['-c', script], folder, signal: never, limits }
    const result = await runTool({ ...call, userId: 59_999 })
    expect([result.code === 0, result.output]).toEqual([false, '59999\n59999\n'])
    expect(result.errorOutput.match(/Permission denied/g)).toHaveLength(3)
    expect((await runTool(call)).output).toContain('PATH=')
  })

  test('has limits for memory, core dumps and CPU time', async () => {
    const result = await sh('ulimit -v; ulimit -c; ulimit -t')
    expect(result.output.trim().split('\n')).toEqual([String(limits.memoryBytes / 1024), '0', '10'])
  })

  test('has limits for file size and output', async () => {
    const result = await sh('head -c 3000000 /dev/zero > "$(mktemp)"; echo $?')
    expect(result.output.trim()).not.toBe('0')
    expect(await sh('yes')).toMatchObject({ code: 1, output: '' })
  })
})
