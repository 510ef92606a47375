ALTER TABLE "imports" ADD COLUMN "live_from" bigint;--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "live_to" bigint;