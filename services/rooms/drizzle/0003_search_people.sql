DROP INDEX "people_by_name";--> statement-breakpoint
ALTER TABLE "people" ADD COLUMN "search_key" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "people" ADD COLUMN "search_grams" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
UPDATE "people" SET "search_key" = lower("login" || E'\n' || "display_name") WHERE NOT "deleted";--> statement-breakpoint
UPDATE "people" SET "search_grams" = ARRAY(SELECT DISTINCT substr("search_key", start, 3) FROM generate_series(1, length("search_key") - 2) AS start);--> statement-breakpoint
-- Everybody is asked for again at accounts: the service makes keys of any letters, whatever locale the database has.
UPDATE "people" SET "profile_version" = -1 WHERE NOT "deleted";--> statement-breakpoint
DELETE FROM "projection_fills" WHERE "name" = 'people';--> statement-breakpoint
CREATE INDEX "people_by_grams" ON "people" USING gin ("search_grams") WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "room_members_of_room" ON "room_members" USING btree ("room_id","user_id") WHERE "room_members"."member";--> statement-breakpoint
CREATE INDEX "people_by_name" ON "people" USING btree ("name_key","login","user_id") WHERE not "people"."deleted";
