CREATE TABLE "orphans" (
	"key" text PRIMARY KEY NOT NULL,
	"found_at" timestamp with time zone NOT NULL,
	"seen_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "storage_identity" (
	"id" text PRIMARY KEY DEFAULT 'storage' NOT NULL,
	"storage_id" text NOT NULL,
	"marks" text[] DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
CREATE INDEX "orphans_seen" ON "orphans" USING btree ("seen_at");