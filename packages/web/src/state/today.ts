import { Cell } from './cell.ts'

/** The current day on this device, as some moment of it. */
export const today = new Cell(new Date())

/** The clock is looked at this often besides at midnight: timers stand still while a device sleeps. */
const lookEveryMs = 60_000

/** Keeps {@link today} up to date until the result is called. */
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
