import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { eventually } from '@parley/tooling/eventually'
import { freeze } from '@parley/tooling/freeze'

/** Longer intervals than in production, so that a process that is busy for a long time keeps its connection. */
const settings = 'max_payload: 2MB\nping_interval: "2m"\nwrite_deadline: "1m"\n'

/** Starts a NATS server; `more` is added to its configuration. */
export async function startNats(more = '') {
  const dir = mkdtempSync(join(tmpdir(), 'parley-rpc-'))
  const config = join(dir, 'nats.conf')
  writeFileSync(config, settings + more)
  const port = await freePort()
  let child: ChildProcess | undefined
  const start = async () => {
    child = spawn(findServer(), ['-c', config, '-a', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })
    await eventually(() => answers(port))
  }
  const stop = async () => {
    const ending = child
    child = undefined
    if (!ending) return
    ending.kill('SIGKILL')
    await once(ending, 'exit')
  }
  await start()
  return {
    url: `nats://127.0.0.1:${port}`,
    /** Starts it again on the same port. */
    start,
    stop,
    /** Freezes it until the result is disposed: it accepts connections and never responds. */
    freeze() {
      if (child?.pid === undefined) throw new Error('the server does not run')
      return freeze(child.pid)
    },
    async [Symbol.asyncDispose]() {
      await stop()
      rmSync(dir, { recursive: true })
    },
  }
}

function findServer(): string {
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', '/usr/local/bin']
  const found = directories.map((directory) => join(directory, 'nats-server')).find((file) => existsSync(file))
  if (!found) throw new Error('nats-server is not installed: put it on PATH or install the package nats-server')
  return found
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('the test could not get a free port')
  return address.port
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('data', (data) => {
      socket.destroy()
      resolve(data.toString().startsWith('INFO '))
    })
    socket.once('error', () => resolve(false))
  })
}
