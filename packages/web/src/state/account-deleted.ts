import { Cell } from './cell.ts'

/** Whether the user has just deleted their account here; the sign-in page then says so. */
export const accountDeleted = new Cell(false)
