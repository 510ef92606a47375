import { Cell } from './cell.ts'

/** A time within the current day of this device. */
export const today = new Cell(new Date())

/** The clock is also checked at this interval, because timers stop while a device sleeps. */
const lookEveryMs = 60_000

/** Keeps {@link today} up to date until the returned function is called. */
export function followDays(): () => void {
  let timer: ReturnType<typeof setTimeout>
  const look = () => {
    const now = new Date()
    if (now.toDateString() !== today.value.toDateString()) today.set(now)
    const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1)
    timer = setTimeout(look, Math.min(lookEveryMs, midnight.getTime() - now.getTime()))
  }
  look()
  return () => clearTimeout(timer)
}
