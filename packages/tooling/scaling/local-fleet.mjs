import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inWorkspace } from '../steps.mjs'

export class LocalFleet {
  #child
  #readyFile

  /**
   * `output` is a `stdio` value of `spawn`. `onScaled` is called with the number of processes once new ones serve and
   * removed ones have ended.
   */
  constructor({ output, onReady, onScaled, onEnd }) {
    const folder = mkdtempSync(join(tmpdir(), 'parley-autoscale-'))
    this.#readyFile = process.env.PARLEY_READY_FILE ?? join(folder, 'ready.json')
    this.#child = spawn(process.execPath, [inWorkspace('packages/local/dist/main.js')], {
      env: { ...process.env, PARLEY_READY_FILE: this.#readyFile },
      stdio: ['ignore', output, output, 'ipc'],
    })
    this.#child.on('message', ({ ready, scaled }) => {
      if (ready) onReady()
      if (scaled) onScaled(scaled.count)
    })
    this.#child.on('exit', (code) => {
      rmSync(folder, { recursive: true })
      onEnd(code ?? 1)
    })
  }

  processesOf(name) {
    return JSON.parse(readFileSync(this.#readyFile, 'utf8')).services.filter((service) => service.name === name)
  }

  scale(name, count) {
    this.#child.send({ scale: { name, count } })
  }

  kill(signal) {
    this.#child.kill(signal)
  }
}
