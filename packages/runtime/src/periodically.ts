import { logger } from '@parley/telemetry'
import { sleep } from './retry.ts'

/** A task that comes round. */
export type PeriodicTask = {
  /** For the log. */
  name: string
  /** Pause between the end of one run and the start of the next, give or take a tenth. */
  everyMs: number
  /** Ends the task, as disposing it does. */
  signal?: AbortSignal
  /** One run. Its signal fires when the task is to end; a run that fails is logged, and the next one comes as usual. */
  run: (signal: AbortSignal) => Promise<void> | void
}

/**
 * Runs a task again and again, never twice at a time. The first run comes after a random part of the pause (a second at
 * most), so that processes that start together do not run together. Disposing waits for the run that is under way.
 */
export function periodically(task: PeriodicTask): AsyncDisposable {
  const stop = new AbortController()
  const signal = task.signal ? AbortSignal.any([task.signal, stop.signal]) : stop.signal
  const ended = loop(task, signal)
  return {
    [Symbol.asyncDispose]: () => {
      stop.abort()
      return ended
    },
  }
}

async function loop({ name, everyMs, run }: PeriodicTask, signal: AbortSignal): Promise<void> {
  let pause = Math.random() * Math.min(everyMs, 1000)
  for (;;) {
    await sleep(pause, signal).catch(() => undefined)
    if (signal.aborted) return
    try {
      await run(signal)
    } catch (error) {
      if (!signal.aborted) logger('runtime').error({ err: error, task: name }, 'a periodic task failed')
    }
    pause = everyMs * (0.9 + Math.random() * 0.2)
  }
}
