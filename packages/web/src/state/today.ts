import { Cell } from './cell.ts'

/** A time within the current day of this device. */
export const today = new Cell(new Date())

/** The clock is also checked at this interval, because timers stop while a device sleeps. */
const checkIntervalMs = 60_000

export function followDays(): () => void {
  let timer: ReturnType<typeof setTimeout>
  const check = () => {
    const now = new Date()
    if (now.toDateString() !== today.value.toDateString()) today.set(now)
    const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1)
    timer = setTimeout(check, Math.min(checkIntervalMs, midnight.getTime() - now.getTime()))
  }
  check()
  return () => clearTimeout(timer)
}
