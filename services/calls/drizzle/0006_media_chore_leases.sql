ALTER TABLE "media_chores" ADD COLUMN "fence" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "media_chores" ADD COLUMN "attempts" integer DEFAULT 0 NOT NULL;