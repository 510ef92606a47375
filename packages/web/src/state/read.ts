import { createSubscriber } from 'svelte/reactivity'
import type { Cell } from './cell.ts'

const subscribers = new WeakMap<object, () => void>()

/** The value of a cell, reactive in Svelte templates, `$derived` and `$effect`. */
export function read<T>(cell: Cell<T>): T {
  let subscribe = subscribers.get(cell)
  if (!subscribe) {
    subscribe = createSubscriber((update) => cell.subscribe(update))
    subscribers.set(cell, subscribe)
  }
  subscribe()
  return cell.value
}
