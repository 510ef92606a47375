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
  test('returns its output, without input and without our environment', async () => {
    process.env['PARLEY_UPLOADS_TEST_SECRET'] = 'secret'
    const said = await sh('cat; env; echo wrong >&2; exit 3')
    delete process.env['PARLEY_UPLOADS_TEST_SECRET']
    expect(said).toMatchObject({ code: 3, killed: null, complaint: 'wrong\n' })
    expect(said.output).toContain(`HOME=${folder}`)
    expect(said.output).not.toContain('PARLEY_')
  })

  test('reports the signal that killed it', async () => {
    expect(await sh('kill -9 $$')).toMatchObject({ code: null, killed: 'SIGKILL' })
  })

  test('a missing program is reported like a failing one', async () => {
    const call = { program: '/nowhere/ffmpeg', args: [], folder, signal: never, limits }
    expect((await runTool(call)).code).not.toBe(0)
  })

  test('is a direct child of this process, so that its end can be awaited', async () => {
    const said = await sh('grep PPid /proc/$$/status; echo $$')
    const [parent = '', pid = ''] = said.output.trim().split('\n')
    expect(parent.split('\t')).toEqual(['PPid:', String(process.pid)])
    expect(isRunning(Number(pid))).toBe(false)
  })

  test('ends together with all its children', async () => {
    const stop = new AbortController()
    const note = join(await mkdtemp(join(folder, 'parley-tool-')), 'pids')
    const running = expect(sh(`sleep 60 & echo $! $$ > ${note}; wait`, stop.signal)).rejects.toBe('enough')
    try {
      const pids = await eventually(async () => {
        const noted = (await readFile(note, 'utf8')).trim().split(' ').map(Number)
        return noted.length === 2 && noted
      })
      stop.abort('enough')
      await running
      await eventually(() => pids.every((pid) => !isRunning(pid)))
    } finally {
      stop.abort('enough')
      await rm(dirname(note), { recursive: true })
    }
  })

  // Only a process that may change users can run it as another user.
  const asRoot = process.getuid?.() === 0 ? test : test.skip
  asRoot('cannot read the parent process when it runs as another user', async () => {
    const script = `id -u; id -G; cat /proc/${process.pid}/environ /proc/${process.pid}/mem; ls /proc/${process.pid}/fd`
    const call = { program: '/bin/sh', args: ['-c', script], folder, signal: never, limits }
    const said = await runTool({ ...call, userId: 59_999 })
    expect([said.code === 0, said.output]).toEqual([false, '59999\n59999\n'])
    expect(said.complaint.match(/Permission denied/g)).toHaveLength(3)
    expect((await runTool(call)).output).toContain('PATH=')
  })

  test('has a memory limit', async () => {
    const said = await sh('ulimit -v; ulimit -c; ulimit -t')
    expect(said.output.trim().split('\n')).toEqual([String(limits.memoryBytes / 1024), '0', '10'])
  })

  test('has limits for file size and output', async () => {
    const wrote = await sh('head -c 3000000 /dev/zero > "$(mktemp)"; echo $?')
    expect(wrote.output.trim()).not.toBe('0')
    expect(await sh('yes')).toMatchObject({ code: 1, output: '' })
  })
})
