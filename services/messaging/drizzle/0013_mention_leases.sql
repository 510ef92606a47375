ALTER TABLE "unresolved_mentions" ADD COLUMN "due_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "unresolved_mentions" ADD COLUMN "fence" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "unresolved_mentions" ADD COLUMN "attempts" integer DEFAULT 0 NOT NULL;