//! What every store must do, as cases that each implementation passes. A case gets a
//! function that makes an empty store and panics if the store answers wrongly. The
//! memory store is the model: where data is random, the store must answer as it does.
//!
//! A module of each program that tests a store, at the top and called `conformance`.

pub mod copy_cases;
pub mod deliberation_cases;
pub mod dump;
pub mod erase_cases;
pub mod journal_cases;
pub mod project_cases;
pub mod random;
pub mod random_cases;
pub mod read_cases;
pub mod sample;
pub mod write_cases;

use hardwon_store::Store;

/// Makes an empty store.
pub type Make<'a> = &'a mut dyn FnMut() -> Box<dyn Store>;

/// Declares one test for each case, run on the stores that the given function makes.
macro_rules! conformance_tests {
    ($make:expr) => {
        $crate::conformance::conformance_tests! { $make =>
            read_cases: an_empty_store_answers_everything, lessons_come_in_order, pages_follow_each_other,
                totals_are_those_of_the_lessons, what_is_counted_of_all_lessons_is_theirs,
                what_may_wait_for_a_person_is_found,
                lessons_are_found_by_their_scope, lessons_are_filtered_before_they_are_limited,
                a_project_sees_its_own_and_global,
                names_are_prefixes_or_aliases, decay_is_due_by_its_window,
                a_tree_holds_all_of_its_root, an_unrecorded_run_can_have_injections,
                runs_are_numbered, runs_come_newest_first,
                pages_of_runs_follow_each_other, pages_of_findings_follow_each_other, fixed_findings_are_found,
                what_comes_up_where_is_counted, evidence_comes_oldest_first,
                effects_come_in_order, showings_are_found_by_lesson, any_script_survives;
            write_cases: a_batch_is_all_or_nothing, a_stale_revision_is_refused,
                injections_disturb_no_revision, global_changes_count_everywhere,
                writing_twice_is_refused, another_projects_lesson_is_refused,
                an_edit_cannot_move_a_row, undo_restores_everything,
                texts_are_filled_from_the_store;
            journal_cases: entries_carry_their_operation, an_operation_goes_on,
                the_journal_is_filtered, the_journal_keeps_projects_apart,
                each_project_counts_its_own;
            random_cases: random_writes_answer_like_memory, searches_answer_like_memory,
                random_undo_restores_everything, the_journal_replays_to_the_same;
            copy_cases: a_copy_tells_the_same, a_copy_goes_on_where_it_was_broken_off,
                a_store_of_something_else_is_not_written_over;
            project_cases: a_project_is_found_by_path_mark_or_id,
                what_nobody_described_is_bare, a_description_that_does_not_fit_is_refused,
                checkouts_go_from_project_to_project;
            deliberation_cases: deliberations_are_listed_and_found,
                attempts_are_those_of_the_issue, questions_are_found_in_every_project,
                what_was_proposed_about_a_lesson_is_erased_with_it, struck_responses_leave_verdict_and_summary,
                deliberations_answer_like_memory;
            erase_cases: what_is_erased_is_gone, what_another_lesson_says_stays,
                a_global_lesson_is_erased_everywhere, a_text_can_be_said_again,
                random_erasures_answer_like_memory;
        }
    };
    ($make:expr => $($module:ident: $($case:ident),+;)+) => {
        $($(
            #[test]
            fn $case() {
                $crate::conformance::$module::$case(&mut $make);
            }
        )+)+
    };
}

pub(crate) use conformance_tests;
